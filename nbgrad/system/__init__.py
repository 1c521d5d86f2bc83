"""What Python and the machine give: cores, memory, locks after a fork, Ctrl-C, files."""

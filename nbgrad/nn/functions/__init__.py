"""What nn.functional has beside what most programs use; each file is read when somebody asks for what is in it."""

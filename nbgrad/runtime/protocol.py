"""What the compile worker and the process that asks it say to each other.

A request is one line, {"number": n, "text": a KernelText's JSON, "target": the fields of the code's Target,
"cache_dir": where to keep the code}; the reply is a header (mark, number, status, length) and that many bytes: object
code, or the text of the error. Replies without a request hold the versions that this process makes code with, first of
all, and what it does in a slower way than it should. {"words": name, "cache_dir": ...} asks for word functions
(``runner_code``) to be on disk, and has no reply.
"""

from __future__ import annotations

import struct
from typing import Final

HEADER: Final = struct.Struct("<4sqBQ")  # mark, number, status, length
MARK: Final = b"nbgr"
HELLO: Final = -1  # the number of the first reply
BYE: Final = -2  # of the last one, where nobody asked for a while
SAID: Final = -3  # of one that says what fell back
COMPILED, REFUSED = 0, 1
IDLE_S: Final = 60.0

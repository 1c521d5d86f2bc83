"""Run a check in a forked child."""

import os
import traceback
from collections.abc import Callable


def holds_in_child(check: Callable[[], bool]) -> bool:
    """Whether ``check`` gives True in a forked child of this process, which ends right after."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if check() else 1
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0

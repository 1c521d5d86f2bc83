from tests.unfused import unfused

__all__ = ["unfused"]

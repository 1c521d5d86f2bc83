"""What a user's call means: promotion, broadcasting, defaults, argument checks. One declaration per public function."""

from nbgrad.calls import arithmetic

__all__ = ["arithmetic"]

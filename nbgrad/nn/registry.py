"""How a module notices what is assigned to its attributes: parameters, buffers and modules each have a table."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import class_of
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.nn.parameter import Buffer, Parameter
from nbgrad.tensor import Tensor


class Registry:
    """Three tables of named members, kept by attribute assignment. Module is its one subclass."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _unsaved_buffers: set[str]

    def __init__(self) -> None:
        own: dict[str, Any] = self.__dict__  # past __setattr__, which needs these to exist
        own.update(_parameters={}, _buffers={}, _modules={}, _unsaved_buffers=set())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or hold its name free with None."""
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise DTypeError(_wrong_kind(param, "object to parameter", name, "nn.Parameter or None required"))
        if param is not None and not param.is_leaf:
            raise ArgumentError(
                f"cannot assign non-leaf Tensor to parameter '{name}': a parameter is created, not computed; to make "
                "it a function of another tensor, compute it in forward()"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not learned; ``persistent`` ones are part of ``state_dict``."""
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise DTypeError(_wrong_kind(tensor, "object to buffer", name, "Tensor or None required"))
        self._buffers[name] = tensor
        if persistent:
            self._unsaved_buffers.discard(name)
        else:
            self._unsaved_buffers.add(name)

    def add_module(self, name: str, module: Registry | None) -> None:
        """Add a module inside this one, or hold its name free with None."""
        self._check_name("module", name, "_modules")
        if module is not None and not isinstance(module, Registry):
            is_class = isinstance(module, type) and issubclass(module, Registry)
            hint = f": {module.__name__}() makes one of that class" if is_class else ""
            raise DTypeError(f"{class_of(module)} is not a Module subclass{hint}")
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, what: str, name: str, home: str) -> None:
        if home not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call: call super().__init__() first")
        if not isinstance(name, str):
            raise DTypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if name == "" or "." in name:
            raise KeyError(f'{what} name can\'t be "" or contain ".", got: "{name}"')
        if name not in self.__dict__[home] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._free_name(name, except_in="_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Registry) and name not in self.__dict__.get("_parameters", ()):
            self._free_name(name, except_in="_modules")
            self.add_module(name, value)
        elif isinstance(value, Tensor) and isinstance(value, Buffer):
            self._free_name(name, except_in="_buffers")
            self.register_buffer(name, value, value.persistent)
        elif not self._set_registered(name, value):
            object.__setattr__(self, name, value)

    def _free_name(self, name: str, except_in: str) -> None:
        """Forget what had ``name`` before; only a parameter's name takes nothing but parameters and None."""
        own = self.__dict__
        for home in ("_parameters", "_buffers", "_modules"):
            if home != except_in and name in own.get(home, ()):
                del own[home][name]
        own.pop(name, None)

    def _set_registered(self, name: str, value: Any) -> bool:
        """Assign None, or a tensor to a buffer, under a registered name; False for a plain attribute."""
        own = self.__dict__
        if name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise DTypeError(_wrong_kind(value, "as buffer", name, "Tensor or None expected"))
            own["_buffers"][name] = value
            return True
        if name in own.get("_parameters", ()):
            if value is not None:
                raise DTypeError(_wrong_kind(value, "as parameter", name, "nn.Parameter or None expected"))
            own["_parameters"][name] = None
            return True
        if name in own.get("_modules", ()):
            if value is not None:
                raise DTypeError(_wrong_kind(value, "as child module", name, "nn.Module or None expected"))
            own["_modules"][name] = None
            return True
        return False

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        try:
            return own["_parameters"][name]  # what a ``forward`` mostly asks for
        except KeyError:
            pass
        for home in ("_buffers", "_modules"):
            if home in own and name in own[home]:
                return own[home][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __delattr__(self, name: str) -> None:
        for home in (self._parameters, self._buffers, self._modules):
            if name in home:
                del home[name]
                self._unsaved_buffers.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._modules})


def _wrong_kind(value: object, verb: str, name: str, wanted: str) -> str:
    return f"cannot assign '{class_of(value)}' {verb} '{name}' ({wanted})"

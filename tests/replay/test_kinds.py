# ruff: noqa: E501 (a case is a program in a line)
"""Whatever a compiled function can have read is looked at, or it is recorded: what has changed is always seen.

A case is (surroundings, the number that the function reads, what happens then, ...): each happening may change it.
"""

from __future__ import annotations

import logging
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.replay import kinds
from tests.replay import people
from tests.replay.people import PEOPLE
from tests.replay.test_compiled import plain, programs_of

CLASSES = """
class Base:
    rate = 1.0
    def get(self): return self.rate
    @classmethod
    def of_class(cls): return cls.rate
    @staticmethod
    def of_nothing(): return box.rate
    @property
    def wide(self): return self.rate * 2
class Sub(Base): pass
class Box: rate = 1.0
class Slots:
    __slots__ = ("rate", "other")
box, sub, slots = Box(), Sub(), Slots()
box.rate = slots.rate = 1.0
"""

KNOWN = {  # all of them have to be compiled as well
    # numbers and strings
    "global": ("r = 1.0", "r", "r = 2.0", "r = 2", "r = True", "r = -0.0", "r = 0.0", "r = float('nan')"),
    "global deleted": ("def r(): return 1.0", "r()", "def r(): return 2.0"),
    "int and bool": ("r = 1", "repr(r).count('1') + repr(r).count('T') * 5", "r = True", "r = 1.0", "r = 1"),
    "string": ("s = 'a'", "len(s)", "s = 'ab'", "s = b'abc'"),
    "range": ("s = range(3)", "len(s) + s.start", "s = range(1, 3)", "s = range(0)", "s = range(1, 1)"),
    "slice": ("s = slice(0, 1); l = [1.0, 2.0]", "sum(l[s])", "s = slice(0, 2)", "s = slice(1, None)"),
    "complex": ("c = 1j", "c.imag", "c = 2j", "c = complex(0.0, -0.0)"),
    "string of another": ("s = 'abc'", "{'abc': 1.0, 'abd': 2.0}[s]", "s = 'ab' + 'd'"),
    "value by identity": ("a = b = 1000.5", "2.0 if a is b else 1.0", "a = float('1000.5')", "b = a"),
    # containers
    "list item": ("l = [1.0, 2.0]", "l[0]", "l[0] = 3.0", "l.insert(0, 4.0)", "l.reverse()"),
    "list length": ("l = [1.0]", "len(l)", "l.append(1.0)", "l.clear()"),
    "list of lists": ("l = [[1.0], [2.0]]", "l[1][0]", "l[1][0] = 3.0", "l[1] = [4.0]", "l.append(1)"),
    "list past its cap": ("l = [1.0]", "l[-1]", "l += [2.0] * 5000", "l[-1] = 3.0", "del l[1:]", "l[0] = 5.0"),
    "dict value": ("d = {'a': 1.0}", "d['a']", "d['a'] = 2.0", "d = {'a': 3.0}", "d.update(a=4.0)"),
    "dict order": ("d = {'a': 1.0, 'b': 2.0}", "list(d.values())[0]", "d['a'] = d.pop('a')"),
    "dict absence": ("d = {'a': 1.0}", "d.get('b', 1.0)", "d['b'] = 2.0", "del d['b']", "d['b'] = 3.0"),
    "dict setdefault": ("d = {'a': 1.0}", "d.setdefault('a', 5.0)", "d['a'] = 2.0"),
    "dict of ints": ("d = {1: 1.0, 2: 2.0}", "d[1]", "d[1] = 3.0", "d.clear(); d[1] = 4.0"),
    "dict keys": ("d = {1.0: 0, 2.0: 0}", "sum(d)", "d[5.0] = 0", "del d[1.0]"),
    "dict with equal keys": ("d = {1: 1.0}", "str(list(d)[0]).count('T') + 1", "d.clear(); d[True] = 1.0"),
    "dict that shrinks and grows": (
        "d = {f'k{i}': 1.0 for i in range(9)}",
        "sum(d.values())",
        "[d.pop(f'k{i}') for i in range(8)]",
        "d['k0'] = 3.0",
        "d.update({f'm{i}': 0.5 for i in range(90)})",
    ),
    "dict of dicts": ("d = {'a': {'b': [1.0]}}", "d['a']['b'][0]", "d['a']['b'][0] = 2.0", "d['a'] = {'b': [3.0]}"),
    "set": ("s = {1.0}", "sum(s)", "s.add(2.0)", "s.discard(1.0)"),
    "frozenset": ("s = frozenset([1.0])", "sum(s)", "s = frozenset([2.0])", "s |= {3.0}"),
    "order of a set": ("s = {0, 8}", "list(s)[0]", "s.clear(); s.update([8]); s.add(0)"),
    "object in a set": (CLASSES + "s = {box}", "next(iter(s)).rate", "box.rate = 2.0", "s.clear(); s.add(sub)"),
    "object as key": (CLASSES + "d = {box: 1.0}", "next(iter(d)).rate", "box.rate = 2.0"),
    "tuple": ("t = (1.0, [2.0])", "t[0] + t[1][0]", "t[1][0] = 3.0", "t = (1.0, [4.0])"),
    "deque": ("from collections import deque; l = deque([1.0])", "l[0]", "l[0] = 2.0", "l.appendleft(3.0)"),
    "ordered dict": (
        "from collections import OrderedDict; d = OrderedDict(a=1.0, b=2.0)",
        "list(d.values())[0]",
        "d.move_to_end('a')",
        "d['b'] = 5.0",
    ),
    "default dict": (
        "from collections import defaultdict; d = defaultdict(lambda: 1.0, a=1.0)",
        "d['a'] + len(d)",
        "d['a'] = 2.0",
        "d.default_factory = int; d['b']",
    ),
    "user dict": ("from collections import UserDict; d = UserDict(r=1.0)", "d['r']", "d['r'] = 2.0"),
    "counter": ("from collections import Counter; c = Counter('ab')", "c['a']", "c['a'] = 3.0", "c.update('aa')"),
    "bytearray": ("b = bytearray(b'1234')", "b[0]", "b[0] = 7", "b.append(1)", "b = bytearray()+b'xy'"),
    "array": ("from array import array; a = array('d', [1.0])", "a[0]", "a[0] = 2.0", "a.insert(0, 3.0)"),
    "numpy array": (
        "import numpy as np; a = np.ones(3)",
        "float(a[0])",
        "a[0] = 2.0",
        "a = np.zeros(3)",
        "a = np.ones(3, np.int8)",
    ),
    "numpy scalar": (
        "import numpy as np; a = np.float64(1.0)",
        "float(a)",
        "a = np.float64(2.0)",
        "a = np.float32(0.1)",
    ),
    "numpy printing": (
        "import numpy as np; a = np.ones(3) / 3",
        "len(str(a))",
        "np.set_printoptions(precision=3)",
        "np.set_printoptions(precision=8)",
    ),
    # objects
    "attribute": (CLASSES, "box.rate", "box.rate = 2.0", "del box.rate", "Box.rate = 3.0", "box.rate = 4.0"),
    "attribute through __dict__": (CLASSES, "box.rate", "box.__dict__['rate'] = 2.0", "vars(box).clear()"),
    "another __dict__": (CLASSES, "box.rate", "box.__dict__ = {'rate': 2.0}", "box.rate = 3.0"),
    "another class": (CLASSES, "box.rate", "del box.rate; box.__class__ = Sub", "Base.rate = 4.0"),
    "getattr": (CLASSES, "getattr(box, 'rate')", "box.rate = 2.0"),
    "getattr with a default": (CLASSES, "getattr(box, 'more', 1.0)", "box.more = 2.0", "del box.more; Box.more = 3.0"),
    "hasattr": (CLASSES, "float(hasattr(box, 'more'))", "box.more = 1", "del box.more"),
    "name made at run time": (
        CLASSES + "box.part0 = 1.0",
        "sum(getattr(box, f'part{i}', 0.5) for i in range(2))",
        "box.part0 = 3.0",
        "box.part1 = 2.0",
        "Box.part1 = 9.0; del box.part1",
    ),
    "vars": (CLASSES, "sum(vars(box).values())", "box.rate = 2.0", "box.more = 3.0"),
    "class attribute": (CLASSES, "Base.rate", "Base.rate = 2.0"),
    "shadowed class attribute": (CLASSES, "Sub.rate", "Sub.rate = 2.0", "del Sub.rate", "Base.rate = 3.0"),
    "attribute shadows class": (CLASSES, "sub.rate", "sub.rate = 2.0", "del sub.rate", "Sub.rate = 3.0"),
    "method": (CLASSES, "sub.get()", "sub.rate = 2.0", "Sub.get = lambda self: 3.0", "sub.get = lambda: 4.0"),
    "class method": (CLASSES, "Sub.of_class()", "Sub.rate = 2.0", "Sub.of_class = classmethod(lambda c: 3.0)"),
    "static method": (CLASSES, "Sub.of_nothing()", "box.rate = 2.0", "Base.of_nothing = staticmethod(lambda: 3.0)"),
    "property": (CLASSES, "sub.wide", "sub.rate = 2.0", "Sub.wide = property(lambda self: 7.0)", "Sub.wide = 8.0"),
    "slot": (CLASSES, "slots.rate", "slots.rate = 2.0", "slots.rate = 3.0"),
    "empty slot": (CLASSES, "getattr(slots, 'other', 1.0)", "slots.other = 2.0", "del slots.other"),
    "__getattr__": (
        CLASSES + "class Dyn:\n def __getattr__(self, n): return box.rate\ndyn = Dyn()",
        "dyn.anything",
        "box.rate = 2.0",
        "dyn.anything = 3.0",
        "Dyn.anything = 4.0; del dyn.anything",
    ),
    "__getattribute__": (
        CLASSES + "class Dyn:\n def __getattribute__(self, n): return box.rate\ndyn = Dyn()",
        "dyn.x",
        "box.rate = 2.0",
    ),
    "special method": (
        CLASSES + "class Call:\n def __call__(self): return box.rate\n def __len__(self): return 2\ncall = Call()",
        "call() * len(call)",
        "box.rate = 2.0",
        "Call.__len__ = lambda self: 3",
        "Call.__call__ = lambda self: 1.0",
    ),
    "special method that comes": (
        "class V:\n pass\nv = V()",
        "2.0 if v else 1.0",
        "V.__bool__ = lambda self: False",
        "del V.__bool__",
        "V.__len__ = lambda self: 0",
    ),
    "comparison": (
        "class V:\n def __init__(self, n): self.n = n\n def __eq__(self, o): return self.n == o.n\nv, w = V(1), V(2)",
        "2.0 if v == w else 1.0",
        "w.n = 1",
        "V.__eq__ = lambda a, b: False",
    ),
    "iterator of one's own": (
        "class V:\n n = 2\n def __iter__(self):\n  for k in range(self.n): yield k\nv = V()",
        "sum(v)",
        "v.n = 3",
        "V.n = 5; del v.n",
    ),
    "descriptor": (
        "class D:\n rate = 1.0\n def __get__(self, x, c): return self.rate\nd = D()\nclass V: part = d\nv = V()",
        "v.part",
        "d.rate = 2.0",
        "D.rate = 3.0; del d.rate",
        "V.part = 4.0",
    ),
    "metaclass": (
        "class M(type):\n @property\n def rate(cls): return cls.base * 2\nclass V(metaclass=M): base = 1.0",
        "V.rate",
        "V.base = 2.0",
        "M.rate = 5.0",
    ),
    "bases": (CLASSES + "class Other: rate = 5.0", "Sub.rate", "Sub.__bases__ = (Other,)", "Other.rate = 6.0"),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n rate: float = 1.0\np = P()",
        "p.rate + P().rate",
        "p.rate = 2.0",
        "P.rate = 3.0",
        "p = P(5.0)",
    ),
    "namespace": (
        "from types import SimpleNamespace; n = SimpleNamespace(a=1.0)",
        "n.a",
        "n.a = 2.0",
        "n.b = 1; n.a = 3.0",
    ),
    "parsed arguments": (
        "import argparse; n = argparse.Namespace(a=1.0)",
        "n.a if 'a' in n else 9.0",
        "n.a = 2.0",
        "n.a = 3.0",
    ),
    "object made in the call": ("r = 1.0\nclass V:\n def __init__(self): self.r = r", "V().r", "r = 2.0"),
    "named tuple": (
        "from collections import namedtuple; P = namedtuple('P', 'a b'); p = P(1.0, [2.0])",
        "p.a + p.b[0]",
        "p.b[0] = 3.0",
        "p = P(4.0, [1.0])",
        "P.a = property(lambda self: 8.0)",
    ),
    "enum": ("import enum\nclass E(enum.Enum):\n A = 1.0\n B = 2.0\ne = E.A", "e.value + (e is E.A)", "e = E.B"),
    "int of one's own": (
        "class I(int):\n scale = 2.0\ni = I(3)",
        "i * i.scale",
        "i.scale = 3.0",
        "I.scale = 4.0; del i.scale",
        "i = I(5)",
    ),
    "dict of one's own": (
        "class D(dict):\n def __missing__(self, k): return self.base\nd = D(a=1.0); d.base = 2.0",
        "d['a'] + d['b']",
        "d['a'] = 3.0",
        "d.base = 4.0",
        "d['b'] = 5.0",
    ),
    "list of one's own": (
        "class L(list): pass\nl = L([1.0])",
        "l[0]",
        "l[0] = 2.0",
        "L.__getitem__ = lambda s, k: 3.0",
    ),
    "weights by name": (
        "d = {f'w{i}': float(i) for i in range(3)}",
        "sum(d[f'w{i}'] for i in range(3))",
        "d['w1'] = 7.0",
    ),
    # functions
    "function": ("def g(): return 1.0", "g()", "def g(): return 2.0"),
    "its code": ("def g(): return 1.0\ndef h(): return 2.0", "g()", "g.__code__ = h.__code__"),
    "its defaults": (
        "def g(a=1.0, *, b=2.0): return a + b",
        "g()",
        "g.__defaults__ = (3.0,)",
        "g.__kwdefaults__['b'] = 4.0",
    ),
    "its attributes": ("def g(): return g.a\ng.a = 1.0", "g()", "g.a = 2.0", "g.a = 3.0"),
    "what a default holds": ("box = [1.0]\ndef g(a=box): return a[0]", "g()", "box[0] = 2.0"),
    "its variables": (
        "def make():\n n = 1.0\n def get(): return n\n def put(v):\n  nonlocal n; n = v\n return get, put\nget, put = make()",
        "get()",
        "put(2.0)",
        "put(3.0)",
    ),
    "a list in a cell": (
        "def make():\n l = [1.0]\n return (lambda: l[0]), l\ng, l = make()",
        "g()",
        "l[0] = 2.0",
        "l.insert(0, 4.0)",
    ),
    "partial": (
        "from functools import partial\ndef g(l, k): return l[0] * k\nl = [1.0]; p = partial(g, l, k=2.0)",
        "p()",
        "l[0] = 2.0",
        "p.keywords['k'] = 3.0",
        "p.__setstate__((g, ([5.0],), {'k': 1.0}, {}))",
    ),
    "bound method": (CLASSES + "m = sub.get", "m()", "sub.rate = 2.0", "Base.rate = 5.0; del sub.rate"),
    "method of a container": ("d = {'a': 1.0}; g = d.get", "g('a')", "d['a'] = 2.0"),
    "decorated": (
        "import functools\nscale = 1.0\ndef twice(f):\n @functools.wraps(f)\n def g(*a): return f(*a) * scale\n return g\n"
        "@twice\ndef h(): return r\nr = 1.0",
        "h()",
        "r = 2.0",
        "scale = 3.0",
    ),
    "cached": (
        "import functools\nr = 1.0\n@functools.lru_cache\ndef g(): return r",
        "g()",
        "r = 2.0",
        "g.cache_clear()",
    ),
    "cached property": (
        "import functools\nr = 1.0\nclass V:\n @functools.cached_property\n def p(self): return r\nv = V()",
        "v.p",
        "r = 2.0",
        "del v.p",
        "v.p = 9.0",
    ),
    "partial method": (
        CLASSES
        + "import functools\nclass V(Base):\n def g(self, k): return self.rate * k\n h = functools.partialmethod(g, 2.0)\n"
        "v = V()",
        "v.h()",
        "v.rate = 3.0",
        "V.g = lambda self, k: 9.0",
        "V.h = functools.partialmethod(V.g, 4.0)",
    ),
    "lambda in a table": ("t = {'f': lambda: 1.0}", "t['f']()", "t['f'] = lambda: 2.0"),
    "generator function": ("n = 2\ndef g():\n for k in range(n): yield k", "sum(g())", "n = 4"),
    "sorting key": ("k = -1.0; l = [1.0, 2.0]", "sorted(l, key=lambda v: v * k)[0]", "k = 1.0", "l[0] = 5.0"),
    "patched builtin": ("import builtins", "max(1.0, 2.0)", "max = min", "del max"),
    "builtin put before": ("l = [1.0, 2.0]", "len(l)", "len = lambda l: 9.0"),
    "math": ("import math; r = 4.0", "math.sqrt(r)", "r = 9.0", "math = type('m', (), {'sqrt': staticmethod(abs)})"),
    "import of a part": (
        "import sys, types\na = types.ModuleType('nb_a'); a.r = 1.0\n"
        "sys.modules |= {'nb_a': a, 'nb_a.b': types.ModuleType('nb_a.b')}\ndef g():\n import nb_a.b\n return nb_a.r",
        "g()",
        "a.r = 2.0",
        "sys.modules['nb_a'] = types.SimpleNamespace(r=3.0)",
    ),
    "import inside": (
        "def g():\n import math\n return math.pi",
        "g()",
        "import sys, types; old = sys.modules['math']; sys.modules['math'] = types.SimpleNamespace(pi=2.0)",
        "sys.modules['math'] = old",
    ),
    "attribute of a module": ("import types; m = types.ModuleType('m'); m.rate = 1.0", "m.rate", "m.rate = 2.0"),
    "reduce": (
        "from functools import reduce; k = 2.0; l = [1.0, 2.0]",
        "reduce(lambda a, b: a + b * k, l)",
        "k = 3.0",
        "l[1] = 4.0",
    ),
    "match": (
        "class P:\n __match_args__ = ('a',)\n def __init__(s, a): s.a = a\np = P(1.0)\n"
        "def g():\n match p:\n  case P(1.0): return 1.0\n  case _: return 2.0",
        "g()",
        "p.a = 3.0",
        "p.a = 1.0",
        "P.__match_args__ = ('b',); p.b = 7.0",
    ),
    "exception that is raised": (
        "d = {'a': 1.0}\ndef g():\n try: return d['b']\n except KeyError: return d['a']",
        "g()",
        "d['a'] = 2.0",
        "d['b'] = 3.0",
    ),
    "super": (
        CLASSES + "class V(Sub):\n def get(self): return super().get() + 1\nv = V()",
        "v.get()",
        "v.rate = 2.0",
        "Sub.get = lambda self: 5.0",
        "Base.rate = 9.0",
    ),
    # tensors and modules
    "module": (
        "net = nb.nn.Linear(1, 1); nb.nn.init.ones_(net.weight); nb.nn.init.zeros_(net.bias)",
        "net(nb.ones(1, 1))[0, 0]",
        "nb.nn.init.zeros_(net.weight)",
        "net = nb.nn.Linear(1, 1)",
        "net.bias = None",
        "net.training = False",
    ),
    "option of a layer": ("net = nb.nn.LeakyReLU(0.5)", "net(nb.tensor(-1.0))", "net.negative_slope = 0.25"),
    "class of a layer": (
        "class Net(nb.nn.Module):\n rate = 1.0\n def forward(self): return self.rate\nnet = Net()",
        "net()",
        "Net.rate = 2.0",
        "net.rate = 3.0",
        "Net.forward = lambda self: 4.0",
    ),
    "method of a layer": (
        "class Net(nb.nn.Module):\n def get(self): return 1.0\n def forward(self): return self.get()\nnet = Net()",
        "net()",
        "net.get = lambda: 2.0",
    ),
    "function of the library": ("d = {'f': nb.sin}", "d['f'](nb.ones(()))", "d['f'] = nb.cos"),
    "mode of a layer": ("net = nb.nn.Dropout(1.0)", "net(nb.ones(())).sum()", "net.eval()", "net.train()"),
    "layers in a list": (
        "net = nb.nn.ModuleList([nb.nn.Identity()])",
        "sum(m(nb.ones(())) for m in net)",
        "net.append(nb.nn.Identity())",
        "net[0] = nb.nn.ReLU()",
        "del net[0]",
    ),
    "requires_grad": (
        "p = nb.ones(1)",
        "2.0 if p.requires_grad else 1.0",
        "p.requires_grad_()",
        "p.requires_grad = False",
        "p = nb.ones(2)",
    ),
    "shape and dtype": (
        "p = nb.ones(1)",
        "p.shape[0] + str(p.dtype).count('6')",
        "p = nb.ones(2)",
        "p = nb.ones(2, dtype=nb.float64)",
    ),
    "whether there is a gradient": (
        "p = [nb.ones(1, requires_grad=True) for _ in range(2)]",
        "sum(q.grad is not None for q in p)",
        "p[0].grad = nb.ones(1)",
        "p[1].grad = nb.ones(1)",
        "p[0].grad = None",
    ),
    "gradient of an argument": ("", "(2.0 if x.grad is None else 1.0)", "X.grad = nb.ones(2)", "X.grad = None"),
    "leaf or not": ("p = nb.ones(1, requires_grad=True)", "2.0 if p.is_leaf else 1.0", "p = p * 1", "p = p.detach()"),
    "tensor by place": ("p = nb.ones(())", "p", "p = nb.zeros(())", "p.add_(3)"),
    "options of an optimiser": (
        "w = nb.ones(1, requires_grad=True); opt = nb.optim.SGD([w], lr=0.5)",
        "opt.param_groups[0]['lr']",
        "opt.param_groups[0]['lr'] = 0.25",
        "opt.param_groups[0]['lr'] = 2",
    ),
    "default dtype": ("", "nb.ones(()) / 3", "nb.set_default_dtype(nb.float64)", "nb.set_default_dtype(nb.float32)"),
    "method of Tensor": (
        "",
        "nb.ones(()).sin()",
        "old = nb.Tensor.sin; nb.Tensor.sin = nb.Tensor.cos",
        "nb.Tensor.sin = old",
    ),
}

OTHERS = {  # recorded at each call, or not: what counts is that nothing is stale
    "import that fails": (
        "import sys, types\nsys.modules.pop('nb_none', None)\n"
        "def g():\n try:\n  import nb_none\n  return nb_none.r\n except ImportError:\n  return 1.0",
        "g()",
        "sys.modules['nb_none'] = types.SimpleNamespace(r=2.0)",
    ),
    "NumPy's settings": (
        "import numpy as np",
        "float(np.get_printoptions()['precision'])",
        "np.set_printoptions(precision=3)",
        "np.set_printoptions(precision=8)",
    ),
    "nested too deeply": (
        "d = l = [1.0]\nfor _ in range(3000): l = [l]",
        "len(l) * d[0]",
        "d[0] = 2.0",
    ),
    "hidden attribute by a name that is made": (
        "def h(a=1.0): return a\nk = 'aults__'",
        "getattr(h, f'__def{k}')[0]",
        "h.__defaults__ = (2.0,)",
    ),
    "method that takes names": (CLASSES + "g = box.__getattribute__", "g('rate')", "box.rate = 2.0"),
    "keys of an optimizer's state": (
        "w = nb.ones(1, requires_grad=True); o = nb.optim.SGD([w], lr=0.1); o.state[w]['a'] = 1.0",
        "len(o.state[w])",
        "o.state[w]['b'] = 2.0",
        "o.state[w].clear()",
    ),
    "context variable": ("import contextvars; v = contextvars.ContextVar('v'); v.set(1.0)", "v.get()", "v.set(2.0)"),
    "thread's own": ("import threading; l = threading.local(); l.r = 1.0", "l.r", "l.r = 2.0"),
    "thread": (
        "import threading",
        "len(threading.current_thread().name)",
        "threading.current_thread().name = 'abc'",
        "threading.current_thread().name = 'MainThread'",
    ),
    "ctypes": ("import ctypes; n = ctypes.c_double(1.0)", "n.value", "n.value = 2.0"),
    "ctypes structure": (
        "import ctypes\nclass S(ctypes.Structure): _fields_ = [('a', ctypes.c_double)]\ns = S(1.0)",
        "s.a",
        "s.a = 2.0",
    ),
    "mmap": ("import mmap; m = mmap.mmap(-1, 8)", "m[0]", "m[0] = 3"),
    "view of a dict": ("d = {'a': 1.0}; v = d.values()", "sum(v)", "d['a'] = 2.0", "d['b'] = 3.0"),
    "items of a dict": ("d = {'a': 1.0}; v = d.items()", "sum(b for a, b in v)", "d['a'] = 2.0"),
    "mapping proxy": ("import types; d = {'a': 1.0}; p = types.MappingProxyType(d)", "p['a']", "d['a'] = 2.0"),
    "weak reference": (CLASSES + "import weakref; w = weakref.ref(box)", "w().rate", "box.rate = 2.0"),
    "weak proxy": (CLASSES + "import weakref; w = weakref.proxy(box)", "w.rate", "box.rate = 2.0"),
    "weak dict": (CLASSES + "import weakref; w = weakref.WeakValueDictionary(a=box)", "w['a'].rate", "box.rate = 2.0"),
    "attrgetter": (CLASSES + "import operator; g = operator.attrgetter('rate')", "g(box)", "box.rate = 2.0"),
    "attrgetter made inside": (CLASSES + "import operator", "operator.attrgetter('rate')(box)", "box.rate = 2.0"),
    "methodcaller": (CLASSES + "import operator; g = operator.methodcaller('get')", "g(sub)", "sub.rate = 2.0"),
    "itemgetter": ("import operator; g = operator.itemgetter(0); l = [1.0]", "g(l)", "l[0] = 2.0"),
    "exception that is kept": ("e = ValueError(1.0)", "e.args[0]", "e.args = (2.0,)"),
    "traceback": (
        "try: 1 / 0\nexcept Exception as err: e = err",
        "float(e.__traceback__ is None)",
        "e.__traceback__ = None",
    ),
    "environment": ("import os; os.environ['NB_R'] = '1'", "float(os.environ['NB_R'])", "os.environ['NB_R'] = '2'"),
    "getenv": ("import os; os.environ['NB_R'] = '1'", "float(os.getenv('NB_R', '5'))", "del os.environ['NB_R']"),
    "file": (
        "import tempfile, os; p = tempfile.mktemp(); open(p, 'w').write('1')",
        "float(open(p).read())",
        "open(p, 'w').write('2')",
    ),
    "path": (
        "import pathlib, tempfile; p = pathlib.Path(tempfile.mkdtemp()) / 'a'",
        "float(p.exists())",
        "p.write_text('2')",
    ),
    "globals()": ("r = 1.0", "globals()['r']", "r = 2.0"),
    "__globals__": ("r = 1.0\ndef g(): pass", "g.__globals__['r']", "r = 2.0"),
    "locals": ("r = 1.0\ndef g():\n q = r\n return locals()['q']", "g()", "r = 2.0"),
    "eval": ("r = 1.0", "eval('r')", "r = 2.0"),
    "eval by another name": ("r = 1.0; e = eval", "e('r')", "r = 2.0"),
    "exec": ("r = 1.0\ndef g():\n d = {}\n exec('a = r', globals(), d)\n return d['a']", "g()", "r = 2.0"),
    "builtin through a module": ("r = 1.0; import builtins", "builtins.eval('r')", "r = 2.0"),
    "patched builtins": ("import builtins; old = max", "max(1.0, 2.0)", "builtins.max = min", "builtins.max = old"),
    "new builtin": (
        "import builtins; builtins.nb_r = 1.0",
        "nb_r",
        "builtins.nb_r = 2.0",
        "nb_r = 3.0",
        "del nb_r",
        "del builtins.nb_r; nb_r = 5.0",
    ),
    "import of a module": (
        "import sys, types; sys.modules['nb_m'] = types.ModuleType('nb_m'); sys.modules['nb_m'].r = 1.0\n"
        "def g():\n import nb_m\n return nb_m.r",
        "g()",
        "sys.modules['nb_m'].r = 2.0",
        "sys.modules['nb_m'] = types.ModuleType('nb_m'); sys.modules['nb_m'].r = 3.0",
    ),
    "import from": (
        "import sys, types; sys.modules['nb_m'] = types.ModuleType('nb_m'); sys.modules['nb_m'].r = 1.0\n"
        "def g():\n from nb_m import r\n return r",
        "g()",
        "sys.modules['nb_m'].r = 2.0",
    ),
    "importlib": (
        "import sys, types, importlib; sys.modules['nb_m'] = types.ModuleType('nb_m'); sys.modules['nb_m'].r = 1.0",
        "importlib.import_module('nb_m').r",
        "sys.modules['nb_m'].r = 2.0",
    ),
    "singledispatch": (
        "import functools\nr = 1.0\n@functools.singledispatch\ndef g(a): return r\n@g.register\ndef _(a: str): return r * 3",
        "g(1) + g('a')",
        "r = 2.0",
        "g.register(int, lambda a: 9.0)",
    ),
    "singledispatchmethod": (
        "import functools\nclass V:\n r = 1.0\n @functools.singledispatchmethod\n def g(self, a): return self.r\nv = V()",
        "v.g(1)",
        "v.r = 2.0",
        "V.r = 5.0; del v.r",
    ),
    "mock": ("from unittest.mock import Mock; m = Mock(return_value=1.0)", "m()", "m.return_value = 2.0"),
    "mock's side": (
        "from unittest.mock import MagicMock; r = 1.0; m = MagicMock(side_effect=lambda: r)",
        "m()",
        "r = 2.0",
    ),
    "iterator": ("i = iter([1.0, 2.0, 3.0, 4.0, 5.0] + [6.0] * 50)", "next(i)", "pass"),
    "generator": ("i = (float(k) for k in range(90))", "next(i)", "pass"),
    "itertools.count": ("import itertools; i = itertools.count(1)", "float(next(i))", "pass"),
    "memoryview": ("b = bytearray(b'abc'); m = memoryview(b)", "m[0]", "b[0] = 7"),
    "memoryview made inside": ("b = bytearray(b'abc')", "memoryview(b)[0]", "b[0] = 7"),
    "decimal": (
        "import decimal; d = decimal.Decimal(1)",
        "float(d / 3) * 1e9 % 1",
        "decimal.getcontext().prec = 3",
        "decimal.getcontext().prec = 28",
    ),
    "fraction": ("from fractions import Fraction; r = Fraction(1, 3)", "float(r)", "r = Fraction(2, 3)"),
    "time": ("import time; time.nb_r = 1.0", "time.nb_r", "time.nb_r = 2.0"),
    "io": ("import io; s = io.StringIO('ab')", "len(s.getvalue())", "s.write('abc')"),
    "long list": ("l = [1.0] * 5000", "l[3]", "l[3] = 2.0"),
    "long dict": ("d = dict.fromkeys(range(5000), 1.0)", "d[3]", "d[3] = 2.0"),
    "long array": ("import numpy as np; a = np.ones(5000)", "float(a[3])", "a[3] = 2.0"),
    "long bytes": ("b = bytearray(b'1' * 50000)", "b[3]", "b[3] = 2"),
    "object array": (CLASSES + "import numpy as np; a = np.array([box], object)", "a[0].rate", "box.rate = 2.0"),
    "numpy's errors": (
        "import numpy as np; old = np.seterr()",
        "float(np.geterr()['divide'] == 'raise')",
        "np.seterr(divide='raise')",
        "np.seterr(**old)",
    ),
    "numpy's random numbers": ("import numpy as np; np.random.seed(3)", "np.random.rand()", "pass"),
    "python's random numbers": ("import random; random.seed(3)", "random.random()", "pass"),
    "generator of numpy": ("import numpy as np; g = np.random.default_rng(3)", "g.random()", "pass"),
    "threads": ("", "nb.get_num_threads()", "nb.set_num_threads(1)", "nb.set_num_threads(2)"),
    "seed": ("nb.manual_seed(3)", "nb.initial_seed() % 1000", "nb.manual_seed(4)"),
    "state of the stream": ("nb.manual_seed(3)", "str(nb.get_rng_state()).count('1')", "nb.manual_seed(4)"),
    "default device": ("", "len(str(nb.get_default_device()))", "pass"),
    "precision": (
        "",
        "len(nb.get_float32_matmul_precision())",
        "nb.set_float32_matmul_precision('medium')",
        "nb.set_float32_matmul_precision('highest')",
    ),
    "deterministic": (
        "",
        "float(nb.are_deterministic_algorithms_enabled())",
        "nb.use_deterministic_algorithms(False)",
        "nb.use_deterministic_algorithms(True)",
    ),
    "switch": (
        "",
        "float(nb.config.settings.check)",
        "nb.config.override(check=True).__enter__()",
        "nb.config.reload()",
    ),
    "version of a tensor": ("w = nb.ones(1)", "float(getattr(w, '_version', 0))", "w.add_(1)"),
    "recursion limit": (
        "import sys; old = sys.getrecursionlimit()",
        "sys.getrecursionlimit()",
        "sys.setrecursionlimit(5000)",
        "sys.setrecursionlimit(old)",
    ),
    "reference count": ("import sys; l = []", "float(sys.getrefcount(l))", "m = l"),
    "frame": ("import sys; r = 1.0", "sys._getframe().f_globals['r']", "r = 2.0"),
    "inspect": ("import inspect; r = 1.0\ndef g(): pass", "inspect.getclosurevars(g) and r", "r = 2.0"),
    "str.format": (CLASSES, "float('{0.rate}'.format(box))", "box.rate = 2.0"),
    "class attribute by vars": (CLASSES, "vars(Base)['rate']", "Base.rate = 2.0"),
    "mro": (CLASSES + "class Other: rate = 7.0", "Sub.__mro__[1].rate", "Sub.__bases__ = (Other,)"),
    "subclasses": (CLASSES, "len(Base.__subclasses__())", "class Third(Base): pass"),
    "annotations": ("def g(a: 1.0): pass", "g.__annotations__['a']", "g.__annotations__['a'] = 2.0"),
    "name of a function": ("def g(): pass", "len(g.__name__)", "g.__name__ = 'long'"),
    "name of a class": (CLASSES, "len(Base.__name__)", "Base.__name__ = 'longer name'"),
    "docstring": ("def g(): 'a'", "len(g.__doc__)", "g.__doc__ = 'abc'"),
    "module with a class of its own": (
        "import types\nclass M(types.ModuleType):\n r = 1.0\nm = M('m')",
        "m.r",
        "M.r = 2.0",
        "m.r = 3.0",
    ),
    "module with __getattr__": (
        "import types; r = 1.0; m = types.ModuleType('m'); m.__getattr__ = lambda n: r",
        "m.any",
        "r = 2.0",
        "m.any = 3.0",
    ),
    "abstract class": (
        "import abc\nclass A(abc.ABC): pass\nclass B: pass\nb = B()",
        "float(isinstance(b, A))",
        "A.register(B)",
    ),
    "protocol": (
        "import typing\n@typing.runtime_checkable\nclass P(typing.Protocol):\n def go(self): ...\nclass B: pass\nb = B()",
        "float(isinstance(b, P))",
        "B.go = lambda self: 1",
    ),
    "re": ("import re; p = re.compile('a'); s = 'aa'", "len(p.findall(s))", "s = 'aaa'", "p = re.compile('b')"),
    "copy": ("import copy; l = [[1.0]]", "copy.deepcopy(l)[0][0]", "l[0][0] = 2.0"),
    "json": ("import json; s = '[1.0]'", "json.loads(s)[0]", "s = '[2.0]'"),
    "heap": ("import heapq; l = [1.0, 2.0]", "heapq.nsmallest(1, l)[0]", "l[0] = 5.0"),
    "bisect": ("import bisect; l = [1.0, 2.0]", "bisect.bisect(l, 1.5)", "l.insert(0, 0.0)"),
    "chain map": (
        "from collections import ChainMap; a, b = {}, {'r': 1.0}; c = ChainMap(a, b)",
        "c['r']",
        "a['r'] = 2.0",
        "b['r'] = 5.0; a.clear()",
    ),
    "starmap": (
        "import itertools; k = 2.0; l = [(1.0,), (2.0,)]",
        "sum(itertools.starmap(lambda a: a * k, l))",
        "k = 3.0",
    ),
    "accumulate": ("import itertools; l = [1.0, 2.0]", "list(itertools.accumulate(l))[-1]", "l[0] = 5.0"),
    "context manager": (
        "import contextlib; r = 1.0\n@contextlib.contextmanager\ndef c(): yield r\ndef g():\n with c() as v: return v",
        "g()",
        "r = 2.0",
    ),
    "exit stack": (
        "import contextlib; r = 1.0\ndef g():\n with contextlib.ExitStack() as s:\n  s.callback(lambda: r)\n  return r",
        "g()",
        "r = 2.0",
    ),
    "logging": (
        "import logging; l = logging.getLogger('nb_case'); l.propagate = False; seen = []\n"
        "class H(logging.Handler):\n def emit(self, record): seen.append(1)\nl.addHandler(H())\n"
        "def g():\n l.debug('a')\n return float(len(seen))",
        "g()",
        "l.setLevel(logging.DEBUG)",
    ),
    "switch of a logger": (
        "import logging; l = logging.getLogger('nb_case2')",
        "float(l.isEnabledFor(10))",
        "l.setLevel(10)",
        "l.setLevel(50)",
    ),
    "warnings": (
        "import warnings; n = len(warnings.filters)",
        "float(len(warnings.filters) - n)",
        "warnings.filters.insert(0, warnings.filters[0])",
        "del warnings.filters[0]",
    ),
    "finalizer": (
        "class V:\n def __del__(self): n.append(1)\nn = []\ndef g():\n V()\n return float(len(n))",
        "g()",
        "pass",
    ),
    "scale of a subclass of Function": (
        "class D(nb.autograd.Function):\n k = 1.0\n @staticmethod\n def forward(c, x): return x * D.k\n"
        " @staticmethod\n def backward(c, g): return g",
        "D.apply(nb.ones(()))",
        "D.k = 2.0",
        "D.forward = staticmethod(lambda c, x: x * 5.0)",
    ),
    "rule of a scheduler": (
        "w = nb.ones(1, requires_grad=True); o = nb.optim.SGD([w], lr=0.5); k = 1.0\n"
        "s = nb.optim.lr_scheduler.LambdaLR(o, lambda e: k / (e + 1))\ndef g():\n s.step()\n return s.get_last_lr()[0]",
        "g()",
        "k = 2.0",
        "s.base_lrs[0] = 3.0",
    ),
    "state of an optimiser": (
        "w = nb.ones(1, requires_grad=True); o = nb.optim.Adam([w]); (w * 2).sum().backward(); o.step()",
        "float(o.state[w]['step'])",
        "o.step()",
        "o.step()",
    ),
    "compiled inside": ("r = 1.0\n@nb.compile\ndef g(x): return x * r", "g(nb.ones(()))", "r = 2.0"),
    "bool of a wrapper": (
        "class V:\n n = 1\n __slots__ = ()\n def __index__(self): return V.n\nv = V()",
        "[1.0, 2.0, 3.0][v]",
        "V.n = 2",
    ),
    "counting up outside": ("n = [0]\ndef g():\n n[0] += 1\n return n[0]", "g()", "n[0] = 50"),
    "class of exceptions": (
        "class E(Exception):\n code = 1.0\ndef g():\n try: raise E\n except E as e: return e.code",
        "g()",
        "E.code = 2.0",
    ),
    "two dicts with shared keys": (
        "class V:\n def __init__(s, a): s.a = a; s.b = 1.0\nv, w = V(1.0), V(2.0)",
        "v.a + v.b",
        "w.c = 3.0",
        "v.a = 5.0",
        "del v.b; v.b = 2.0",
        "v.__dict__ = dict(b=1.0, a=7.0)",
    ),
}

OTHERS |= {  # written to break the rules
    "pattern by attribute": (
        "class P: pass\np = P(); p.a = 1.0\ndef g():\n match p:\n  case P(a=1.0): return 1.0\n  case _: return 2.0",
        "g()",
        "p.a = 3.0",
        "p.a = 1.0",
    ),
    "pattern by position": (
        "class P: __match_args__ = ('a',)\np = P(); p.a = 1.0; p.b = 2.0\ndef g():\n match p:\n  case P(v): return v",
        "g()",
        "p.a = 3.0",
        "P.__match_args__ = ('b',)",
        "p.b = 5.0",
    ),
    "pattern of a dict": (
        "d = {'a': 1.0}\ndef g():\n match d:\n  case {'a': v}: return v\n  case _: return 9.0",
        "g()",
        "d['a'] = 2.0",
        "d.clear()",
    ),
    "empty cell": (
        "def make():\n def get():\n  try: return n\n  except NameError: return 1.0\n"
        " def put(v):\n  nonlocal n; n = v\n if 0: n = 0\n return get, put\nget, put = make()",
        "get()",
        "put(2.0)",
        "put(3.0)",
    ),
    "name that nothing has": (
        "import builtins\ndef g():\n try: return nb_nothing\n except NameError: return 1.0",
        "g()",
        "nb_nothing = 2.0",
        "del nb_nothing; builtins.nb_nothing = 3.0",
        "del builtins.nb_nothing",
    ),
    "attribute that nothing has": (
        "import types; m = types.ModuleType('m')\ndef g():\n try: return m.r\n except AttributeError: return 1.0",
        "g()",
        "m.r = 2.0",
        "del m.r",
    ),
    "new entry of a class dict": (CLASSES, "float(len(vars(Box)))", "Box.more = 1", "del Box.more"),
    "new entry of a module dict": (
        "import types; m = types.ModuleType('m')",
        "float(len(vars(m)))",
        "m.more = 1",
        "del m.more",
    ),
    "writeable": ("import numpy as np; a = np.ones(2)", "float(a.flags.writeable)", "a.flags.writeable = False"),
    "alias of getattr": (CLASSES + "get = getattr", "get(box, 'ra' + 'te')", "box.rate = 2.0"),
    "getattr in a partial": (
        CLASSES + "from functools import partial; get = partial(getattr, box)",
        "get('rate')",
        "box.rate = 2.0",
    ),
    "getattr in a map": (CLASSES, "sum(map(getattr, [box], ['rate']))", "box.rate = 2.0"),
    "method by its class": (CLASSES, "Base.get(sub)", "sub.rate = 2.0", "Base.get = lambda self: 3.0"),
    "unbound method of a container": ("d = {'a': 1.0}", "dict.get(d, 'a')", "d['a'] = 2.0"),
    "function behind a class attribute": (
        "r = 1.0\ndef h(): return r\nclass V: f = staticmethod(h); g = h\nv = V()",
        "v.f() + V.g()",
        "r = 2.0",
        "V.g = abs; V.g = lambda: 7.0",
    ),
    "closure of another function of the same code": (
        "def make(n):\n def g(): return n[0]\n return g\na, b = [1.0], [2.0]\nf1, f2 = make(a), make(b)",
        "f1() + f2()",
        "a[0] = 3.0",
        "b[0] = 4.0",
    ),
    "classes of the same code": (
        "def make(n):\n class V:\n  def g(self): return n[0]\n return V()\na, b = [1.0], [2.0]\nv, w = make(a), make(b)",
        "v.g() + w.g()",
        "a[0] = 3.0",
        "b[0] = 4.0",
    ),
    "a callback that the call is given": (
        "r = 1.0\ndef h(k): return k()\ndef g(): return h(lambda: r)",
        "g()",
        "r = 2.0",
    ),
    "a callback held by a class of the library": (
        "import functools; r = 1.0\n@functools.total_ordering\nclass V:\n def __eq__(s, o): return False\n def __lt__(s, o): return r > 1\nv, w = V(), V()",
        "2.0 if v >= w else 1.0",
        "r = 2.0",
    ),
    "default factory": (
        "from collections import defaultdict; r = 1.0; d = defaultdict(lambda: r)\ndef g():\n v = d['x']\n d.clear()\n return v",
        "g()",
        "r = 2.0",
    ),
    "key of a sort": ("w = {'a': 2.0, 'b': 1.0}", "w[min(w, key=w.get)]", "w['a'] = 0.5", "w['b'] = 0.25"),
    "hash of one's own": (
        "h = 1\nclass K:\n def __hash__(s): return h\n def __eq__(s, o): return True\nd = {K(): 1.0}",
        "d.get(K(), 5.0)",
        "h = 2",
        "h = 1",
    ),
    "contains of one's own": (
        "r = 1\nclass V:\n def __contains__(s, k): return k == r\nv = V()",
        "2.0 if 1 in v else 1.0",
        "r = 2",
    ),
    "operator of the other side": (
        "r = 1.0\nclass V:\n def __radd__(s, o): return o + r\nv = V()",
        "1.0 + v",
        "r = 2.0",
        "V.__radd__ = lambda s, o: 9.0",
    ),
    "float of one's own": ("r = 1.0\nclass V:\n def __float__(s): return r\nv = V()", "float(v)", "r = 2.0"),
    "formatting of one's own": (
        "r = 1.0\nclass V:\n def __format__(s, f): return str(r)\nv = V()",
        "float(f'{v}')",
        "r = 2.0",
    ),
    "a class that the call makes": (
        "r = 1.0\ndef g():\n class V:\n  a = r\n  def b(self): return self.a + r\n return V().b()",
        "g()",
        "r = 2.0",
    ),
    "a generator that the call makes": (
        "l = [1.0, 2.0]\ndef g():\n return sum(v * l[0] for v in l)",
        "g()",
        "l[0] = 3.0",
    ),
    "state in a default": ("def g(seen=[0]):\n seen[0] += 1\n return seen[0]", "g()", "g.__defaults__ = ([50],)"),
    "number in a tuple in a list": ("l = []\ndef g():\n l[:] = [(1.0, len(l))]\n return l[0][0]", "g()", "l.append(1)"),
    "slot of a base": (
        "class A: __slots__ = ('r',)\nclass B(A): __slots__ = ('q',)\nb = B(); b.r = 1.0",
        "b.r",
        "b.r = 2.0",
    ),
    "property that writes": (
        "class V:\n n = 0\n @property\n def p(self):\n  self.n += 1\n  return self.n\nv = V()",
        "v.p",
        "v.n = 50",
    ),
    "int enum": ("import enum\nclass E(enum.IntEnum):\n A = 1\n B = 2\ne = E.A", "e * 2.0", "e = E.B"),
    "flags": ("import enum\nclass E(enum.Flag):\n A = 1\n B = 2\ne = E.A", "2.0 if E.B in e else 1.0", "e = E.A | E.B"),
    "data class with a factory": (
        "from dataclasses import dataclass, field\nr = 1.0\n@dataclass\nclass P:\n l: list = field(default_factory=lambda: [r])",
        "P().l[0]",
        "r = 2.0",
    ),
    "string that is an int": (
        "import sys\nclass S(str):\n def __len__(self): return n\nn = 1\ns = S('abc')",
        "len(s)",
        "n = 2",
    ),
    "set of tuples with objects": (CLASSES + "s = {(1, box)}", "next(iter(s))[1].rate", "box.rate = 2.0"),
    "dict of keys with objects": (CLASSES + "d = {(1, box): 1.0}", "[k[1].rate for k in d][0]", "box.rate = 2.0"),
    "method of a super class by name": (CLASSES, "super(Sub, sub).get()", "sub.rate = 2.0", "Base.get = lambda s: 3.0"),
    "warning that is an error": (
        "import warnings, numpy as np; a = np.zeros(1)\nwarnings.simplefilter('ignore')",
        "float((a / a)[0] != 0)",
        "old = np.seterr(all='raise')",
        "np.seterr(**old)",
    ),
}


def _ran(case: tuple[str, ...], *, compiled: bool) -> tuple[list[Any], Any]:
    before, number, *changes = case
    module = types.ModuleType("a_case")
    sys.modules["a_case"] = module  # where dataclasses look for it
    names: dict[str, Any] = vars(module)
    names |= {"nb": nb, "X": nb.ones(2)}
    nb.manual_seed(5)
    exec(compile(before, "<a case>", "exec"), names)
    exec(compile(f"def f(x): return x * ({number})", "<a case>", "exec"), names)
    run = nb.compile(names["f"]) if compiled else names["f"]
    x, found = names["X"], []
    for change in ["pass", "pass", *changes]:
        nb.manual_seed(6)
        exec(compile(change, "<a change>", "exec"), names)
        for _ in range(3):
            try:
                found.append(repr(run(x).tolist()))
            except Exception as error:
                found.append(repr(error))
    return found, run


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    """What cases change for the whole process is as it was."""
    threads = nb.get_num_threads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nb.errors.PerformanceWarning)
        yield
    nb.set_num_threads(threads)
    for name in ("nb_case", "nb_case2"):
        logging.getLogger(name).setLevel(logging.NOTSET)


METHODS_OF = kinds.TYPES | {*map(type, (iter([]), iter(()), iter(""), {}.keys(), {}.values(), {}.items()))}


def _calls_off_the_lists(run: Callable[[], object], filename: str) -> set[str]:
    """Which functions written in C that no list has are called by functions of that file. (Calls of types are not seen
    before Python 3.12, nor what an operator calls.)"""
    found = set()

    def hook(frame: types.FrameType, event: str, function: Any) -> None:
        code = frame.f_code
        if event == "c_call" and code.co_filename == filename and code.co_name != "<module>":
            of = getattr(function, "__self__", None)
            is_method = of is not None and not isinstance(of, types.ModuleType)
            is_known = (
                (of if isinstance(of, type) else type(of)) in METHODS_OF if is_method else kinds.is_pure(function)
            )
            if not is_known and not isinstance(of, nb.Tensor):
                found.add(function.__qualname__)

    sys.setprofile(hook)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.cpu
@pytest.mark.parametrize("name", [*KNOWN, *OTHERS])
def test_what_has_changed_is_seen(name: str) -> None:
    case = {**KNOWN, **OTHERS}[name]
    plain: list[Any] = []
    off_the_lists = _calls_off_the_lists(lambda: plain.extend(_ran(case, compiled=False)[0]), "<a case>")
    _restore(name)
    found, run = _ran(case, compiled=True)
    assert found == plain
    if name in KNOWN:
        assert programs_of(run), nb.explain(lambda: None).fallbacks[-1:]
        assert not off_the_lists


@pytest.mark.cpu
@pytest.mark.parametrize("make", PEOPLE)
def test_no_call_of_c_that_people_write_is_off_the_lists(make: Any) -> None:
    function, args = make()
    assert not _calls_off_the_lists(lambda: function(*args(0)), people.__file__)


@pytest.mark.cpu
def test_a_call_of_c_that_is_off_the_lists_is_found() -> None:
    assert _calls_off_the_lists(lambda: _ran(("import time", "time.time() > 0"), compiled=True), "<a case>") == {"time"}


@pytest.mark.cpu
@pytest.mark.parametrize("make", PEOPLE)
def test_what_people_write_is_compiled(make: Any) -> None:
    found = []
    for wrap in (lambda f: f, lambda f: nb.compile(f, fullgraph=True)):
        nb.manual_seed(3)
        function, args = make()
        run = wrap(function)
        found.append([plain(run(*args(k))) for k in range(8)])
    assert found[0] == found[1]
    assert programs_of(run)


def _restore(name: str) -> None:
    if "logg" in name:
        for logger in ("nb_case", "nb_case2"):
            logging.getLogger(logger).setLevel(logging.NOTSET)
            logging.getLogger(logger).handlers.clear()

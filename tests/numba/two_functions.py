"""Two functions that call much of what Numba compiles once for both; run by test_differentiate_corners.py."""

import numpy as np
from numba import njit

from nbgrad.numba import differentiate

FIRST = """
def f(x,w,s,z):
  a=x.copy()
  acc=0.0
  l=[a]
  c=z*s
  acc=acc*.5+acc*s
  a[0]+=w
  a[0,2]=s*acc
  acc=acc*.5+w[0]*a[1,-1]
  acc+=abs(c[0,2])*.1+np.angle(c[1,1]*w[2]+2)
  x[1]=np.cos(a.T[0])
  acc=acc*.5+acc*x[0,1]
  a[0,2]=w[1]*s
  v1=np.tanh(x)[np.array([2,0,2])]
  for i0 in range(1):
    acc+=a[i0%3,0]*.3
    if s>w[0]:
      acc=acc+x[2,-2]
      x[2]=np.cos(x[:,1])
    a[2,1]=acc*v1[0,0]
    if acc>v1[1,2]:
      acc=acc+w[0]
      u2=v1[::-1,1]
      v3=np.outer(w,w)
  return acc+(x*x).sum()*.1+(v1*v1).sum()*.1+(a*a).sum()*.1+np.sin(w).sum()+np.abs(c).sum()*.01
"""
SECOND = """
def f(x,w,s,z):
  a=x.copy()
  acc=0.0
  l=[a]
  c=z*s
  acc=acc*.5+a[2,1]*s
  v1=np.where(x>acc,a,x*2.0)
  v2=np.outer(w,w)
  v3=(c.real*v1).copy()
  u4=np.diag(v3)
  a[:,0]-=v1[0]*.7
  acc+=abs(c[0,1])*.1+np.angle(c[1,1]*0.39+2)
  acc+=(v3*v3).sum()*.1+(x*x).sum()*.1+(v2*v2).sum()*.1+(v1*v1).sum()*.1+(a*a).sum()*.1
  return acc+np.sin(u4).sum()+np.sin(w).sum()+np.abs(c).sum()*.01
"""


def arguments():
    numbers = np.random.RandomState(1)
    x, w = numbers.rand(3, 3) + 0.3, np.repeat(numbers.rand(3) + 0.3, 2)[::2]
    return [x, w, 0.99, numbers.rand(3, 3) + 1j * numbers.rand(3, 3)]


def moved(f, index, step):
    x, *others = arguments()
    x[index] += step
    return f(x, *others)


for text in (FIRST, SECOND):
    scope = {"np": np}
    exec(text, scope)
    f = njit(scope["f"])
    f(*arguments())
    slopes = differentiate(f)(*arguments())[1][0]
    for index in np.ndindex(3, 3):
        expected = (moved(f, index, 1e-6) - moved(f, index, -1e-6)) / 2e-6
        assert abs(slopes[index] - expected) < 1e-5, (index, slopes[index], expected)
print("right")

# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import hashlib, json, re, zlib, threading, time
threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()
def f(n):
  return n if n < 2 else f(n - 1) + f(n - 2)
class C:
  def __lt__(self, o): return self.v > o.v
while True:
  f(12); hashlib.sha256(b'x' * 10000); hashlib.md5(b'x' * 10000)
  json.loads(json.dumps([{str(i): [i] * 5} for i in range(50)]))
  re.findall(r'(a+)+b', 'aaaaaaaaaaaab' * 20); zlib.compress(b'abcdef' * 1000)
  l = [C() for _ in range(50)]
  for i, c in enumerate(l): c.v = i * 7 % 13
  sorted(l); '%r' % ([1.5, {}, 'x'],)
  try: int('x')
  except ValueError: pass

// What jobs leave behind is collected once it is much.

import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { collectingBeyond } from './bulk-thread.ts'

const MIB = 1024 * 1024

/** A job that leaves so many bytes on the heap, and what tells when they have gone. */
function work(octets: number): WeakRef<object> {
  return new WeakRef({ left: Array.from({ length: octets / 8 }, () => 0.5) })
}

test(
  'garbage is collected behind the job that made it too much',
  thorough('0.8 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const afterJob = collectingBeyond(8 * MIB)
    for (let jobs = 0; jobs < 2; jobs++) {
      const left = work(32 * MIB)
      await nextTurn()
      afterJob()
      await until('it has gone', () => left.deref() === undefined)
    }
  },
)

// Tests that large memory that jobs leave on the heap is collected.

import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { collectingBeyond } from './bulk-thread.ts'

const MIB = 1024 * 1024

/** Runs a job that leaves this many bytes on the heap; returns a reference that shows when the bytes are collected. */
function work(bytes: number): WeakRef<object> {
  return new WeakRef({ left: Array.from({ length: bytes / 8 }, () => 0.5) })
}

test(
  'garbage is collected after the job that exceeded the limit',
  thorough('0.8 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const afterJob = collectingBeyond(8 * MIB)
    for (let jobs = 0; jobs < 2; jobs++) {
      const left = work(32 * MIB)
      await nextTurn()
      afterJob()
      await until('the garbage is collected', () => left.deref() === undefined)
    }
  },
)

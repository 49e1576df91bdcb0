// The memory for message contents in transit: every holder has a bound in the list, and the sum of the bounds equals
// the documented sum.

import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { loadConfig } from '../config/load.ts'
import { CONTENT_BYTES, ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import { SMALL_BYTES } from '../model/triage.ts'
import { MAX_ACTIVE } from '../queue/slots.ts'

const SRC = fileURLToPath(new URL('..', import.meta.url))
const LIMITS = fileURLToPath(new URL('../../docs/limits.md', import.meta.url))
const MIB = 1024 * 1024

test('the bounds add up to the documented sum, part by part', async () => {
  const config = loadConfig({ POSTRIDER_MODE: 'playground' })
  const parts = Object.entries(CONTENT_BYTES).map(([name, bytes]) => [name, bytes(config)] as const)
  const stated = await readFile(LIMITS, 'utf8')
  for (const [name, bytes] of parts)
    assert.match(stated, new RegExp(`\\| \`${name}\` \\|.*\\| ${bytes / MIB} \\|`))
  const sum = parts.reduce((all, [, bytes]) => all + bytes, 0)
  assert.match(stated, new RegExp(`${sum / MIB} MiB together`))
})

test('every holder of contents takes its bound from the list, and each bound has a holder', async () => {
  const used = new Set<string>()
  for await (const path of glob('**/*.ts', { cwd: SRC })) {
    if (path === 'lib/content-memory.ts' || /\.test(?:-data)?\.ts$/.test(path)) continue
    const source = await readFile(`${SRC}/${path}`, 'utf8')
    for (const [, name] of source.matchAll(/\bCONTENT_BYTES\.(\w+)\(/g)) used.add(name as string)
    for (const [made] of source.matchAll(/\bnew ContentMemory\([^)]*/g)) {
      assert.match(made, /CONTENT_BYTES\.|\(memoryBytes$/, `${path}: ${made}`)
    }
  }
  // The bound for small contents of deliveries follows from the number of delivery slots.
  assert.equal(CONTENT_BYTES.delivery_beside({ maxMessageBytes: 0 }), MAX_ACTIVE * SMALL_BYTES)
  assert.deepEqual([...used, 'delivery_beside'].sort(), Object.keys(CONTENT_BYTES).sort())
})

test('owners never have more than there is, whatever they hold, request and release, and in the end all of it is free', async () => {
  const TOTAL = 1_000
  const step = fc.record({
    holder: fc.nat({ max: 7 }),
    bytes: fc.nat({ max: 600 }),
    act: fc.constantFrom('hold', 'hold', 'later', 'release'),
  })
  /** Steps in which memory counts as taken before the promise of the waiting holder resolves. */
  const TAKEN_EARLY = [
    { holder: 7, bytes: 197, act: 'hold' },
    { holder: 1, bytes: 304, act: 'later' },
    { holder: 1, bytes: 1, act: 'hold' },
    { holder: 7, bytes: 0, act: 'release' },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const memory = new ContentMemory(TOTAL)
      const open = (holder: number): HeldMemory => new HeldMemory(memory, `owner ${holder % 3}`)
      const holders = Array.from({ length: 8 }, (_, holder) => ({ held: open(holder), bytes: 0 }))
      const waits: Promise<unknown>[] = []
      for (const { holder, bytes, act } of steps) {
        const one = holders[holder]!
        if (act === 'hold' && one.held.hold(bytes)) one.bytes = Math.max(one.bytes, bytes)
        if (act === 'later') {
          const { held } = one
          waits.push(
            held.holdLater(bytes).then((taken) => {
              if (taken && one.held === held) one.bytes = Math.max(one.bytes, bytes)
            }),
          )
        }
        if (act === 'release') {
          one.held.release()
          holders[holder] = { held: open(holder), bytes: 0 }
        }
        await Promise.resolve()
        const sum = holders.reduce((all, { bytes: own }) => all + own, 0)
        assert.ok(sum <= TOTAL, `${sum} are held`)
      }
      for (const { held } of holders) held.release()
      await Promise.all(waits)
      const last = new HeldMemory(memory, 'last')
      assert.equal(last.hold(TOTAL), true, 'all of it is free')
      last.release()
    }),
    { examples: [[TAKEN_EARLY]] },
  )
})

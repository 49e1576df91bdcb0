// The memory for contents under way: every holder has a bound of the list, and their sum is what the documentation states.

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

test('the bounds add up to what the documentation states, part by part', async () => {
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
  // What is delivered beside the bound follows from the slots.
  assert.equal(CONTENT_BYTES.delivery_beside({ maxMessageBytes: 0 }), MAX_ACTIVE * SMALL_BYTES)
  assert.deepEqual([...used, 'delivery_beside'].sort(), Object.keys(CONTENT_BYTES).sort())
})

test('whatever owners hold, ask for and give back, they never have more than there is, and in the end all of it is free', async () => {
  const TOTAL = 1_000
  const step = fc.record({
    holder: fc.nat({ max: 7 }),
    octets: fc.nat({ max: 600 }),
    act: fc.constantFrom('hold', 'hold', 'later', 'release'),
  })
  /** One that waits for memory has taken some at once before it hears that it got it. */
  const TAKEN_BESIDE = [
    { holder: 7, octets: 197, act: 'hold' },
    { holder: 1, octets: 304, act: 'later' },
    { holder: 1, octets: 1, act: 'hold' },
    { holder: 7, octets: 0, act: 'release' },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const memory = new ContentMemory(TOTAL)
      const open = (holder: number): HeldMemory => new HeldMemory(memory, `owner ${holder % 3}`)
      const holders = Array.from({ length: 8 }, (_, holder) => ({ held: open(holder), octets: 0 }))
      const waits: Promise<unknown>[] = []
      for (const { holder, octets, act } of steps) {
        const one = holders[holder]!
        if (act === 'hold' && one.held.hold(octets)) one.octets = Math.max(one.octets, octets)
        if (act === 'later') {
          const { held } = one
          waits.push(
            held.holdLater(octets).then((taken) => {
              if (taken && one.held === held) one.octets = Math.max(one.octets, octets)
            }),
          )
        }
        if (act === 'release') {
          one.held.release()
          holders[holder] = { held: open(holder), octets: 0 }
        }
        await Promise.resolve()
        const sum = holders.reduce((all, { octets: own }) => all + own, 0)
        assert.ok(sum <= TOTAL, `${sum} are held`)
      }
      for (const { held } of holders) held.release()
      await Promise.all(waits)
      const last = new HeldMemory(memory, 'last')
      assert.equal(last.hold(TOTAL), true, 'all of it is free')
      last.release()
    }),
    { examples: [[TAKEN_BESIDE]] },
  )
})

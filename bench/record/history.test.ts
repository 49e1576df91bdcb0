// The history of recorded figures: written and parsed entries are equal, and each loss is reported with its size and
// the two commits between which the loss happened.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FigureName } from './figures.ts'
import {
  type Entry,
  fallenSince,
  figuresTable,
  formatEntry,
  measuredOf,
  parseHistory,
  withHead,
} from './history.ts'

/** Returns an entry of the history in which each figure has the given values, one for each round. */
function entryOf(
  commit: string,
  values: Partial<Record<FigureName, readonly number[]>>,
  machine = '2 × CPU',
): Entry {
  const figures = Object.entries(values).map(([name, rounds]) => [name, measuredOf(rounds)] as const)
  return {
    at: `2026-11-22T0${commit.length}:00:00.000Z`,
    commit,
    machine,
    figures: new Map(figures as never),
  }
}

const steady = ['a', 'bb', 'ccc'].map((commit) =>
  entryOf(commit, { accept_ratio: [0.59, 0.6, 0.61], accept_cpu: [98, 100, 102], bare_rate: [20_000] }),
)

test('entries are read as they were written, figures of other versions are passed over', () => {
  const entries = [...steady, entryOf('dddd', { deliver_memory: [250] })]
  const text = entries.reduce((before, entry) => withHead(before) + formatEntry(entry), '')
  assert.deepEqual(parseHistory(text), entries)
  assert.deepEqual(parseHistory(`${text}2026\tx\tm\tunknown_figure\t1\t1\t1\n`), entries)
  assert.deepEqual(parseHistory(''), [])
})

test('what is worse by more than the noise fell, in the direction of each figure', () => {
  const now = entryOf('dddd', {
    accept_ratio: [0.49, 0.5, 0.51],
    accept_cpu: [99, 101, 103],
    bare_rate: [9_000],
  })
  const [ratio, ...others] = fallenSince([...steady, now])
  assert.deepEqual(others, [])
  assert.equal(ratio?.name, 'accept_ratio')
  assert.equal(ratio?.by.toFixed(3), '0.167')
  assert.deepEqual(ratio?.between, ['ccc', 'dddd'])
  const slower = entryOf('dddd', { accept_ratio: [0.7], accept_cpu: [120] })
  assert.deepEqual(
    fallenSince([...steady, slower]).map(({ name }) => name),
    ['accept_cpu'],
  )
})

test('the commits are those between which it fell, also when that was some records ago', () => {
  const fallen = ['dddd', 'eeeee'].map((commit) => entryOf(commit, { accept_ratio: [0.5] }))
  assert.deepEqual(fallenSince([...steady, ...fallen])[0]?.between, ['ccc', 'dddd'])
})

test('rounds far apart are noise; other machines and a first record are not compared', () => {
  const noisy = entryOf('dddd', { accept_ratio: [0.4, 0.5, 0.6] })
  const wild = steady.map(({ commit }) => entryOf(commit, { accept_ratio: [0.4, 0.6, 0.8] }))
  assert.deepEqual(fallenSince([...wild, noisy]), [])
  assert.deepEqual(fallenSince([...steady, entryOf('dddd', { accept_ratio: [0.1] }, '64 × other')]), [])
  assert.deepEqual(fallenSince(steady.slice(0, 1)), [])
  assert.deepEqual(fallenSince([]), [])
})

test('the table shows the last entry and the records before it', () => {
  const now = entryOf('dddd', { accept_ratio: [0.49, 0.5, 0.51] })
  assert.match(figuresTable([...steady, now]), /^Commit dddd, 2026-11-22, 2 × CPU\.\n/)
  assert.match(
    figuresTable([...steady, now]),
    /\| accept: of the bare handler \| 0\.50 \| 0\.49–0\.51 \| 0\.60 \|/,
  )
  assert.equal(figuresTable([]), '')
})

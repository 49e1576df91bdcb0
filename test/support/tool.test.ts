// Tests the command line of the development tools: usage, exit codes and arguments.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ROOT } from '../runner/plan.ts'
import { thorough } from './thorough.ts'
import { count, oneOf, readWords, selectedNames, toolEnd, WrongArgument, wrappedNames } from './tool.ts'

const USAGE = 'npm run thing -- [kills] [sqlite|postgres]\n'

const thing = async (words: readonly string[]): Promise<number> => {
  const [kills, database] = readWords(
    words,
    count('The number of kills', 20),
    oneOf('The database', 'sqlite', 'postgres'),
  )
  return database === 'postgres' ? kills + 100 : kills
}

describe('a tool', () => {
  for (const words of [['--help'], ['-h'], ['help'], ['3', '--help']]) {
    test(`prints its usage for ${words.join(' ')}`, async () => {
      assert.deepEqual(await toolEnd(USAGE, words, thing), { code: 0, stdout: USAGE, stderr: '' })
    })
  }

  for (const [words, problem] of [
    [['none'], 'The number of kills is a whole number from 1, not none.'],
    [['0'], 'The number of kills is a whole number from 1, not 0.'],
    [['1', 'oracle'], 'The database is sqlite or postgres, not oracle.'],
    [['1', 'sqlite', 'more'], 'There is no argument more here.'],
  ] as const) {
    test(`names the wrong argument of "${words.join(' ')}", prints its usage and exits with 2`, async () => {
      const end = await toolEnd(USAGE, words, thing)
      assert.deepEqual(end, { code: 2, stdout: '', stderr: `${problem}\n\n${USAGE}` })
    })
  }

  test('runs with its arguments, and with the usual values of missing ones', async () => {
    assert.equal((await toolEnd(USAGE, [], thing)).code, 20)
    assert.equal((await toolEnd(USAGE, ['3'], thing)).code, 3)
    assert.equal((await toolEnd(USAGE, ['3', 'postgres'], thing)).code, 103)
  })

  test('does not hide an error of its own', async () => {
    const fails = async (): Promise<number> => {
      throw new TypeError('broken')
    }
    await assert.rejects(toolEnd(USAGE, [], fails), /broken/)
  })
})

test('names select in the order of the list, all without a name, and unknown names are refused', () => {
  const all = ['first', 'second', 'third']
  assert.deepEqual(selectedNames([], 'attack', all), all)
  assert.deepEqual(selectedNames(['third', 'first'], 'attack', all), ['first', 'third'])
  assert.throws(() => selectedNames(['first', 'fourth'], 'attack', all), WrongArgument)
})

test('names are wrapped into lines of a usage', () => {
  assert.equal(wrappedNames(['one', 'two', 'three'], 12), '  one, two,\n  three\n')
})

describe('the tool', () => {
  const TOOLS = {
    bench: 'bench/run.ts',
    crash: 'test/crash.ts',
    attack: 'test/attack.ts',
    torture: 'test/torture.ts',
    inbound: 'test/inbound.ts',
    mutations: 'test/mutations.ts',
    'test:races': 'test/races.ts',
    pictures: 'test/pictures.ts',
  }
  for (const [name, file] of Object.entries(TOOLS)) {
    test(`${name} prints its usage after an unknown word`, thorough('2 CPU s: starts the tool'), () => {
      const words = [join(ROOT, 'bin/node'), join(ROOT, file), '--no-such-word']
      const { status, stderr } = spawnSync('sh', words, { encoding: 'utf8' })
      assert.equal(status, 2, stderr)
      assert.match(stderr, /no-such-word/)
      assert.match(stderr, new RegExp(`^npm run ${name}\\b`, 'm'))
      assert.doesNotMatch(stderr, /^ +at /m)
    })
  }
})

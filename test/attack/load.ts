// Runs load generators in their own processes, so that the attacker's work does not slow down the process of the
// witness.

import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Answered } from './recipe.ts'

/**
 * Runs a module of `test/attack/loads/` with the given values in a child process; resolves to the counts of the
 * responses that the module received.
 */
export function runLoad(file: string, given: object): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'loads', file), {
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    child.once('message', (answered: Answered) => resolve(answered))
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} without a result`)))
    child.send(given)
  })
}

/**
 * Main function of a load module: runs the attack with the values that arrive over IPC, sends the counts of the
 * responses to the parent, and ends the process. The process also ends if its parent ends.
 */
export function answerAttack<Given>(attack: (given: Given, answers: Answers) => Promise<void>): void {
  process.once('disconnect', () => process.exit())
  process.once('message', async (given: Given) => {
    const answers = new Answers()
    await attack(given, answers)
    process.send?.(answers.counts, () => process.exit())
  })
}

/** Counts the responses that the attacker received. */
export class Answers {
  readonly counts: Record<string, number> = {}

  count(answer: string, times = 1): void {
    this.counts[answer] = (this.counts[answer] ?? 0) + times
  }
}

// Load generators in processes of their own, so that what loads the attacker slows neither the witness nor the service.

import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Answered } from './recipe.ts'

/** Runs a module of `test/attack/loads/` with what it is given; resolves to its answers when it has ended. */
export function runLoad(file: string, given: object): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'loads', file), {
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    child.once('message', (answered: Answered) => resolve(answered))
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} without an answer`)))
    child.send(given)
  })
}

/** The module's part: attacks when it is told with what, answers and ends; it ends with its parent as well. */
export function answerAttack<Given>(attack: (given: Given, answers: Answers) => Promise<void>): void {
  process.once('disconnect', () => process.exit())
  process.once('message', async (given: Given) => {
    const answers = new Answers()
    await attack(given, answers)
    process.send?.(answers.counts, () => process.exit())
  })
}

/** Counts what the attacker was answered. */
export class Answers {
  readonly counts: Record<string, number> = {}

  count(answer: string, times = 1): void {
    this.counts[answer] = (this.counts[answer] ?? 0) + times
  }
}

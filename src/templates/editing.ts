// Making, replacing, restoring and deleting templates and layouts, for whichever door asks.

import type { Clock } from '../lib/clock.ts'
import { parseWritten } from '../lib/written-numbers.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findVersion, type TemplateVersion } from '../store/workspace/template-versions.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { charactersOf } from './compiled.ts'
import { CannotConvert } from './html-conversion.ts'
import type { Jobs } from './jobs.ts'
import { cannotConvert } from './render.ts'
import type { WorkerPool } from './worker-pool.ts'

/** Author of a change: the owner, and the name noted with the version. */
export interface Editor extends Owner {
  readonly savedBy: string
}

/** Reasons for which saving can fail after everything was checked. */
export type SaveFailure = 'alias_taken' | 'not_found' | 'layout_not_found' | 'too_many' | 'overtaken'

/** Version that is saved over: nothing where there is no ID, so that it is a new one. */
export interface Before {
  readonly id: string | undefined
  /** The version it has to have; any when it is left out. */
  readonly replaces?: number | undefined
}

/** Differences between templates and layouts. */
export interface Noun<Stored, Input> {
  readonly word: 'template' | 'layout'
  /** Largest number in a domain. */
  readonly most: number
  /** Finds the problems that keep it from being saved; long work is done in a thread. */
  check(input: Input, editor: Editor): readonly FieldProblem[] | Promise<readonly FieldProblem[]>
  save(input: Input, editor: Editor, before: Before, now: number): Promise<Stored | SaveFailure>
  /** `usedBy`: it is in use and stays. */
  remove(owner: Owner, id: string, now: number): Promise<boolean | { readonly usedBy: readonly string[] }>
  find(owner: Owner, reference: string): Promise<Stored | undefined>
  /** Reads the content of a version. */
  inputOf(version: TemplateVersion): Input
}

/** Parts that editing works with. */
export interface EditingResources {
  readonly store: Store
  readonly clock: Clock
  /** Threads for long checks; a command runs them itself. */
  readonly workers?: WorkerPool
  /** Workspace cache of this node, which a change invalidates. */
  readonly workspaceCache?: WorkspaceCache
}

/** Every method throws `Problem`: `validation_failed`, `conflict` or `not_found`; then nothing was changed. */
export class Editing<Stored extends { readonly id: string }, Input> {
  readonly #resources: EditingResources
  readonly #noun: Noun<Stored, Input>

  constructor(resources: EditingResources, noun: Noun<Stored, Input>) {
    this.#resources = resources
    this.#noun = noun
  }

  /** The one with this ID or alias. */
  async find(owner: Owner, reference: string): Promise<Stored> {
    const found = await reading(this.#noun.find(owner, reference))
    if (found === undefined) throw missing(this.#noun.word)
    return found
  }

  /** Problems of an input of which fields may be missing, since what was given for them does not fit. */
  async problemsOf(editor: Editor, fields: Partial<Input>): Promise<readonly FieldProblem[]> {
    return this.#noun.check({ name: this.#noun.word, ...fields } as Input, editor)
  }

  create(editor: Editor, input: Input): Promise<Stored> {
    return this.#save(editor, input, { id: undefined })
  }

  /** @param replaces the version that it was made from, where no other version may have been saved since */
  async replace(editor: Editor, reference: string, input: Input, replaces?: number): Promise<Stored> {
    const { id } = await this.find(editor, reference)
    return this.#save(editor, input, { id, replaces })
  }

  /** Saves what a version held as the newest one. */
  async restore(editor: Editor, reference: string, version: number): Promise<Stored> {
    const { id } = await this.find(editor, reference)
    return this.#save(editor, this.#noun.inputOf(await this.version(editor, id, version)), { id })
  }

  async remove(owner: Owner, reference: string): Promise<void> {
    const { word } = this.#noun
    const { id } = await this.find(owner, reference)
    const removed = await this.#noun.remove(owner, id, this.#resources.clock.now())
    this.#resources.workspaceCache?.forget()
    if (removed === true) return
    if (removed === false) throw missing(word)
    const users = removed.usedBy.join(', ')
    throw new Problem('conflict', `Templates use this ${word}: ${users}. Give them another one first.`)
  }

  /** A version of the one with this ID. */
  async version(owner: Owner, id: string, version: number): Promise<TemplateVersion> {
    const found = await reading(findVersion(this.#resources.store.read, owner, id, version))
    if (found === undefined) throw missing('version')
    return found
  }

  async #save(editor: Editor, input: Input, before: Before): Promise<Stored> {
    const problems = await this.#noun.check(input, editor)
    if (problems.length > 0) throw invalidFields(problems)
    const saved = await this.#noun.save(input, editor, before, this.#resources.clock.now())
    this.#resources.workspaceCache?.forget()
    if (typeof saved === 'string') throw this.#unsaved(saved)
    return saved
  }

  #unsaved(failure: SaveFailure): Problem {
    const { word, most } = this.#noun
    switch (failure) {
      case 'alias_taken':
        return new Problem('conflict', `Another ${word} of this domain has this alias; choose another one.`, {
          errors: [{ path: 'alias', code: 'taken', message: 'Choose another alias.' }],
        })
      case 'not_found':
        return missing(word)
      case 'layout_not_found':
        return invalidFields([layoutMissing])
      case 'overtaken':
        return new Problem('conflict', `Somebody has saved this ${word} meanwhile; look at what it is now.`, {
          errors: [
            {
              path: 'replaces_version',
              code: 'overtaken',
              message: 'Begin from the version that is there now.',
            },
          ],
        })
      case 'too_many':
        return new Problem('conflict', `A domain has at most ${most} ${word}s; delete some that nobody uses.`)
    }
  }
}

/** A sample model as it is stored; null for none, undefined: the one before stays. */
export const jsonOf = (model: object | null | undefined): string | null | undefined =>
  model === null || model === undefined ? model : JSON.stringify(model)

/** The sample model in what is stored; null for none. */
export const modelIn = (stored: string | null): object | null =>
  stored === null ? null : (parseWritten(stored) as object)

/** Checks what takes too long for the event loop. */
export async function checkInThread<Kind extends 'checkTemplate' | 'checkLayout'>(
  workers: WorkerPool,
  editor: Editor,
  kind: Kind,
  input: Jobs[Kind]['job'],
): Promise<readonly FieldProblem[]> {
  try {
    return await workers.run(editor, kind, input, charactersOf(input))
  } catch (error) {
    if (error instanceof CannotConvert) return [cannotConvert(error.message)]
    throw error
  }
}

export const layoutMissing: FieldProblem = {
  path: 'layout',
  code: 'not_found',
  message: 'There is no such layout in this domain.',
}

const missing = (noun: string): Problem =>
  new Problem('not_found', `There is no ${noun} with this ID or alias.`)

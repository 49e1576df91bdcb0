// Creates, replaces, restores and deletes templates and layouts, for all callers.

import type { Clock } from '../lib/clock.ts'
import { parseWritten } from '../lib/written-numbers.ts'
import { changedMeanwhile, type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import {
  type DeletedTemplate,
  findVersion,
  type TemplateVersion,
} from '../store/workspace/template-versions.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { charactersOf } from './compiled.ts'
import { CannotConvert } from './html-conversion.ts'
import type { Jobs } from './jobs.ts'
import { cannotConvert } from './render.ts'
import type { TemplateThreads } from './worker-pool.ts'

/** Author of a change: the owner, and the name noted with the version. */
export interface Editor extends Owner {
  readonly savedBy: string
}

/** Reasons why saving can fail after all checks have passed. */
export type SaveFailure = 'alias_taken' | 'not_found' | 'layout_not_found' | 'too_many' | 'overtaken'

/** The version to replace; without an ID, a new template or layout is created. */
export interface Before {
  readonly id: string | undefined
  /** The required current version; any version if omitted. */
  readonly replaces?: number | undefined
}

/** Differences between templates and layouts. */
export interface Noun<Stored, Input> {
  readonly word: 'template' | 'layout'
  /** Maximum number of templates or layouts in a domain. */
  readonly most: number
  /** Returns the problems that prevent saving; long checks run in a worker thread. */
  check(input: Input, editor: Editor): readonly FieldProblem[] | Promise<readonly FieldProblem[]>
  save(input: Input, editor: Editor, before: Before, now: number): Promise<Stored | SaveFailure>
  /** Removes a template or layout, but no layout in use, and no other version than `seen`. */
  remove(owner: Owner, id: string, seen: number | undefined, now: number): Promise<DeletedTemplate>
  find(owner: Owner, reference: string): Promise<Stored | undefined>
  /** Returns the content of a version. */
  inputOf(version: TemplateVersion): Input
}

/** Parts of the node that editing uses. */
export interface EditingResources {
  readonly store: Store
  readonly clock: Clock
  /** Worker threads for long checks; undefined in a command, which runs the checks itself. */
  readonly workers?: TemplateThreads
  /** Workspace cache of this node, which a change clears. */
  readonly workspaceCache?: WorkspaceCache
}

/** Input of a template or layout, which may have an alias. */
export interface Aliased {
  readonly alias?: string | null | undefined
}

/** Editing of templates or layouts. A failing method throws `Problem` and changes nothing. */
export class Editing<
  Stored extends { readonly id: string; readonly version: number },
  Input extends Aliased,
> {
  readonly #resources: EditingResources
  readonly #noun: Noun<Stored, Input>

  constructor(resources: EditingResources, noun: Noun<Stored, Input>) {
    this.#resources = resources
    this.#noun = noun
  }

  /** Returns the template or layout with this ID or alias. */
  async find(owner: Owner, reference: string): Promise<Stored> {
    const found = await reading(this.#noun.find(owner, reference))
    if (found === undefined) throw missing(this.#noun.word)
    return found
  }

  /** Returns the problems of an input; `fields` may lack the fields that are invalid. */
  async problemsOf(editor: Editor, fields: Partial<Input>): Promise<readonly FieldProblem[]> {
    return this.#noun.check({ name: this.#noun.word, ...fields } as unknown as Input, editor)
  }

  create(editor: Editor, input: Input): Promise<Stored> {
    return this.#save(editor, input, { id: undefined })
  }

  /**
   * Replaces a template or layout.
   *
   * @param replaces version on which the input is based; `conflict` if another version has been saved since
   * @param seen the only version to replace; `changed_meanwhile` if another version has been saved since
   */
  async replace(
    editor: Editor,
    reference: string,
    input: Input,
    replaces?: number,
    seen?: Stored,
  ): Promise<Stored> {
    const { id } = await this.find(editor, reference)
    return this.#save(editor, input, { id, replaces: replaces ?? seen?.version }, replaces === undefined)
  }

  /** Saves the content of an older version as the newest version. */
  async restore(editor: Editor, reference: string, version: number): Promise<Stored> {
    const { id } = await this.find(editor, reference)
    return this.#save(editor, this.#noun.inputOf(await this.version(editor, id, version)), { id })
  }

  /** @param seen the only version to remove; any version if undefined (`changed_meanwhile`) */
  async remove(owner: Owner, reference: string, seen?: Stored): Promise<void> {
    const { word } = this.#noun
    const { id } = await this.find(owner, reference)
    const removed = await this.#noun.remove(owner, id, seen?.version, this.#resources.clock.now())
    this.#resources.workspaceCache?.forget()
    if (removed === 'deleted') return
    if (removed === 'not_found') throw missing(word)
    if (removed === 'other_version') throw changedMeanwhile()
    const users = removed.usedBy.join(', ')
    throw new Problem(
      'conflict',
      `Templates use this ${word}: ${users}. Give these templates another layout first.`,
    )
  }

  /** Returns a version of the template or layout with this ID. */
  async version(owner: Owner, id: string, version: number): Promise<TemplateVersion> {
    const found = await reading(findVersion(this.#resources.store.read, owner, id, version))
    if (found === undefined) throw missing('version')
    return found
  }

  /** @param conditional true if `If-Match` names the version to replace */
  async #save(editor: Editor, input: Input, before: Before, conditional = false): Promise<Stored> {
    const problems = await this.#noun.check(input, editor)
    if (problems.length > 0) throw invalidFields(problems)
    const saved = await this.#noun.save(input, editor, before, this.#resources.clock.now())
    this.#resources.workspaceCache?.forget()
    if (saved === 'overtaken' && conditional) throw changedMeanwhile()
    if (saved === 'alias_taken') throw await this.#aliasTaken(editor, input.alias ?? '')
    if (typeof saved === 'string') throw this.#unsaved(saved)
    return saved
  }

  async #aliasTaken(owner: Owner, alias: string): Promise<Problem> {
    const { word } = this.#noun
    const other = await reading(this.#noun.find(owner, alias))
    return new Problem('conflict', `Another ${word} of this domain has this alias; choose another alias.`, {
      errors: [{ path: 'alias', code: 'taken', message: 'Choose another alias.' }],
      ...(other === undefined ? {} : { existing: { [`${word}_id`]: other.id } }),
    })
  }

  #unsaved(failure: Exclude<SaveFailure, 'alias_taken'>): Problem {
    const { word, most } = this.#noun
    switch (failure) {
      case 'not_found':
        return missing(word)
      case 'layout_not_found':
        return invalidFields([layoutMissing])
      case 'overtaken':
        return new Problem(
          'conflict',
          `Somebody else has saved this ${word} in the meantime; load its current version first.`,
          {
            errors: [
              {
                path: 'replaces_version',
                code: 'overtaken',
                message: 'Begin from the version that is there now.',
              },
            ],
          },
        )
      case 'too_many':
        return new Problem('conflict', `A domain has at most ${most} ${word}s; delete some that nobody uses.`)
    }
  }
}

/** Returns the stored form of a sample model; null for no model, undefined to keep the previous model. */
export const jsonOf = (model: object | null | undefined): string | null | undefined =>
  model === null || model === undefined ? model : JSON.stringify(model)

/** Returns a stored sample model; null if no model is stored. */
export const modelIn = (stored: string | null): object | null =>
  stored === null ? null : (parseWritten(stored) as object)

/** Runs a check in a worker thread, because the check takes too long for the event loop. */
export async function checkInThread<Kind extends 'checkTemplate' | 'checkLayout'>(
  workers: TemplateThreads,
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

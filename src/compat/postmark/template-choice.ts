// Finds the templates that messages name, by their number or alias.

import { callerOf } from '../../api/caller.ts'
import type { SendRequest } from '../../model/send-request.ts'
import { findObject } from '../numbers.ts'
import type { Fields, Reading } from '../reading.ts'
import type { Translation } from '../translation.ts'

/** Templates of one request; each number is looked up once. */
export class TemplateChoices {
  readonly #translation: Translation
  readonly #ids = new Map<number, string | undefined>()

  constructor(translation: Translation) {
    this.#translation = translation
  }

  /** Returns the template of a message; no fields for a message without a template. */
  async of(fields: Fields, reading: Reading): Promise<Pick<SendRequest, 'template_id' | 'template_alias'>> {
    const alias = fields.text('TemplateAlias')
    const number = fields.integer('TemplateId')
    if (fields.has('InlineCss')) reading.ignore(fields.at('InlineCss'))
    if (number === undefined) return alias === undefined ? {} : { template_alias: alias }
    const id = await this.#find(number)
    if (id !== undefined) return { template_id: id }
    reading.wrong(fields.at('TemplateId'), 'not_found', NO_TEMPLATE(number))
    return {}
  }

  async #find(number: number): Promise<string | undefined> {
    const { request, services } = this.#translation
    if (request.caller === null) return undefined
    if (!this.#ids.has(number)) {
      this.#ids.set(number, await findObject(services, callerOf(request), 'template', number))
    }
    return this.#ids.get(number)
  }
}

/** Returns the sentence about a template that is missing; clients look for its words. */
export const NO_TEMPLATE = (named: number | string): string =>
  `The template ${named} is not valid or was not found.`

// Literal content of a bulk: texts with Mailgun's recipient variables, filled with the values of each row.

import type { BulkMessage, BulkRow } from '../model/bulk.ts'
import { invalidFields } from '../model/problem.ts'
import { withoutUnsubscribeMark } from '../model/unsubscribe-link.ts'
import {
  cutRecipientVariables,
  fillRecipientVariables,
  type VariablesOfRecipient,
} from '../template-language/literal.ts'
import { RenderBudget, RenderRefusal } from '../template-language/render.ts'

/** Fields that may contain recipient variables; the other fields of a message are the same in all rows. */
export type LiteralFields = Partial<
  Pick<BulkMessage, 'subject' | 'html' | 'text' | 'headers' | 'reply_to' | 'metadata' | 'template_model'>
>

/** Limits of filling one row: a large body with a placeholder in each line takes a tenth of these limits. */
const ROW_LIMITS = { steps: 400_000, bytes: 25 * 1024 * 1024 }

type Fill = (recipient: VariablesOfRecipient, budget: RenderBudget) => unknown

/**
 * Cuts the fields once, and returns the function that fills the fields for a row. The function throws
 * `validation_failed` for values that make the message too long.
 */
export function literalFields(fields: LiteralFields): (row: BulkRow) => LiteralFields {
  const fill = cut(fields)
  return ({ to, template_model = {} }) => {
    const variables = Object.entries(template_model).map(([name, value]) => [
      name,
      typeof value === 'string' ? withoutUnsubscribeMark(value) : value,
    ])
    const recipient = {
      ...{ email: to.email, name: to.name ?? '' },
      variables: Object.fromEntries(variables) as Readonly<Record<string, unknown>>,
    }
    try {
      return fill(recipient, new RenderBudget(ROW_LIMITS)) as LiteralFields
    } catch (error) {
      if (!(error instanceof RenderRefusal)) throw error
      throw invalidFields([{ path: 'recipient-variables', code: error.code, message: error.message }])
    }
  }
}

/** Cuts all texts of a value; names of fields are no texts. */
function cut(value: unknown): Fill {
  if (typeof value === 'string') {
    const text = cutRecipientVariables(value)
    return text.placeholders.length === 0
      ? () => value
      : (recipient, budget) => fillRecipientVariables(text, recipient, budget)
  }
  if (Array.isArray(value)) {
    const items = value.map(cut)
    return (recipient, budget) => items.map((fill) => fill(recipient, budget))
  }
  if (typeof value !== 'object' || value === null) return () => value
  const entries = Object.entries(value).map(([name, item]) => [name, cut(item)] as const)
  return (recipient, budget) =>
    Object.fromEntries(entries.map(([name, fill]) => [name, fill(recipient, budget)]))
}

// Shapes of the checks before a bulk is sent, for the dashboard.

import { type Static, Type } from 'typebox'

const faulty = {
  /** Number of rows. */
  rows: Type.Integer(),
  /** Line of the first row in the file, from 1; null if there is no such row. */
  line: Type.Union([Type.Integer(), Type.Null()]),
}

const variable = {
  /** Path in the template model, such as `order.number`. */
  name: Type.String(),
  /** True if a row without a value is refused. */
  required: Type.Boolean(),
}

/** Variables of a template and its layout. */
export const TemplateVariablesView = Type.Object({ data: Type.Array(Type.Object(variable)) })
export type TemplateVariable = Static<typeof TemplateVariablesView>['data'][number]

/** Result of the check of a bulk. */
export const BulkCheckView = Type.Object({
  total: Type.Integer(),
  refused: Type.Integer(),
  refusals: Type.Array(Type.Object({ ...faulty, reason: Type.String() })),
  variables: Type.Array(Type.Object({ ...faulty, ...variable })),
})
export type BulkCheckView = Static<typeof BulkCheckView>

// Templates and layouts as they are given, and the limits of both.

/** Content of a template (contract §4); parts left out are empty. */
export interface TemplateInput {
  readonly alias?: string | null
  readonly name: string
  readonly subject?: string | null
  readonly html?: string | null
  readonly text?: string | null
  /** The alias or ID of its layout. */
  readonly layout?: string | null
  /** Paths that the model must have: `order.items`. */
  readonly required?: readonly string[]
  /** CSS of style elements goes into style attributes, since many mail programs ignore the elements. */
  readonly inline_css?: boolean
  /** The model for previews and test messages. */
  readonly sample_model?: object | null
}

/** Content of a layout. */
export interface LayoutInput {
  readonly alias?: string | null
  readonly name: string
  readonly html?: string | null
  readonly text?: string | null
  /** The model for previews. */
  readonly sample_model?: object | null
}

/** A template that was not saved, to be rendered within a layout that was or was not. */
export interface DraftInput extends Omit<TemplateInput, 'alias' | 'name' | 'sample_model'> {
  readonly layout_html?: string | null
  readonly layout_text?: string | null
}

/** Instead of an alias or ID: no layout. */
export const NO_LAYOUT = 'none'

export const TEMPLATE_LIMITS = {
  aliasLength: 100,
  nameLength: 200,
  /** Of each part, and of the sample model as JSON. */
  characters: 100_000,
  required: 100,
  pathLength: 200,
} as const

// The input of templates and layouts, and their limits.

/** Content of a template; omitted parts are empty. */
export interface TemplateInput {
  readonly alias?: string | null
  readonly name: string
  readonly subject?: string | null
  readonly html?: string | null
  readonly text?: string | null
  /** Alias or ID of its layout. */
  readonly layout?: string | null
  /** Paths that the model must have: `order.items`. */
  readonly required?: readonly string[]
  /** True if CSS of style elements is moved into style attributes, because many mail programs ignore the elements. */
  readonly inline_css?: boolean
  /** Model for previews and test messages. */
  readonly sample_model?: object | null
}

/** Content of a layout. */
export interface LayoutInput {
  readonly alias?: string | null
  readonly name: string
  readonly html?: string | null
  readonly text?: string | null
  /** Model for previews. */
  readonly sample_model?: object | null
}

/** An unsaved template, to be rendered within a saved or unsaved layout. */
export interface DraftInput extends Omit<TemplateInput, 'alias' | 'name' | 'sample_model'> {
  readonly layout_html?: string | null
  readonly layout_text?: string | null
}

/** Instead of an alias or ID: no layout. */
export const NO_LAYOUT = 'none'

export const TEMPLATE_LIMITS = {
  aliasLength: 100,
  nameLength: 200,
  /** Maximum of each part, and of the sample model as JSON. */
  characters: 100_000,
  required: 100,
  pathLength: 200,
} as const

// Input fields of templates and layouts, and limits of these fields.

/** Content of a template; omitted parts are empty. */
export interface TemplateInput {
  readonly alias?: string | null
  readonly name: string
  readonly subject?: string | null
  readonly html?: string | null
  readonly text?: string | null
  /** Alias or ID of the template's layout. */
  readonly layout?: string | null
  /** Paths that the model must contain, such as `order.items`. */
  readonly required?: readonly string[]
  /** True if CSS of style elements is moved into style attributes, because many mail clients ignore style elements. */
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
  /** Model for previews of the layout. */
  readonly sample_model?: object | null
}

/** An unsaved template, to be rendered within a saved or unsaved layout. */
export interface DraftInput extends Omit<TemplateInput, 'alias' | 'name' | 'sample_model'> {
  readonly layout_html?: string | null
  readonly layout_text?: string | null
}

/** Value that means no layout, in place of a layout's alias or ID. */
export const NO_LAYOUT = 'none'

export const TEMPLATE_LIMITS = {
  aliasLength: 100,
  nameLength: 200,
  /** Maximum number of characters of each part, and of the sample model as JSON. */
  characters: 100_000,
  required: 100,
  pathLength: 200,
} as const

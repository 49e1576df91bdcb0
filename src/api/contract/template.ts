// Shapes of templates and layouts in the API.

import { type Static, type TObject, Type } from 'typebox'
import { TEMPLATE_LIMITS } from '../../model/template.ts'
import { closed, ofDomain, Timestamp } from './common.ts'

/** Returns the schema of a text that may also be null. */
const optionalText = (maxLength: number, description: string) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength }), Type.Null()], {
      description: `a text of at most ${maxLength.toLocaleString('en-US')} characters or null: ${description}`,
    }),
  )

const alias = optionalText(
  TEMPLATE_LIMITS.aliasLength,
  'an alias: a letter, then letters, digits, ".", "-", "_"',
)
const name = Type.String({
  minLength: 1,
  maxLength: TEMPLATE_LIMITS.nameLength,
  description: 'Name for display',
})
const part = (description: string) => optionalText(TEMPLATE_LIMITS.characters, description)

const sampleModel = Type.Optional(
  Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description:
      'an object of at most 100,000 characters as JSON or null: the model for previews and test messages, which stays if a replacement omits it',
  }),
)

export const TemplateBody = Type.Object(
  {
    alias,
    name,
    subject: part('the subject; without it, every send request has to contain a subject'),
    html: part('the HTML part'),
    text: part('the text part; without it the text is made from the HTML'),
    layout: optionalText(
      TEMPLATE_LIMITS.aliasLength,
      'alias or ID of the layout around the template, or `none`',
    ),
    required: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: TEMPLATE_LIMITS.pathLength }), {
        maxItems: TEMPLATE_LIMITS.required,
        description: 'Paths that every model must contain, such as `order.items` or `items.[0].title`',
      }),
    ),
    inline_css: Type.Optional(
      Type.Boolean({ description: 'True to move the CSS of style elements into style attributes' }),
    ),
    sample_model: sampleModel,
  },
  {
    ...closed,
    description: 'Template; omitted fields are empty',
    examples: [
      {
        alias: 'receipt',
        name: 'Receipt',
        subject: 'Your receipt, {{name}}',
        html: '<p>Thank you, {{name}}.</p>{{#each items}}<p>{{title}}: {{price}}</p>{{/each}}',
        layout: 'frame',
        required: ['name', 'items'],
      },
    ],
  },
)

export const LayoutBody = Type.Object(
  {
    alias,
    name,
    html: part('the HTML part, with {{{ @content }}} once'),
    text: part('the text part, with {{{ @content }}} once'),
    sample_model: sampleModel,
  },
  {
    ...closed,
    description: 'Layout; omitted fields are empty',
    examples: [{ alias: 'frame', name: 'Frame', html: '<body><h1>The Shop</h1>{{{ @content }}}</body>' }],
  },
)

const replacesVersion = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'Number of the version that this version is based on; the response is 409 if a newer version exists',
  }),
)

/**
 * Returns the body schema of a replacement: the complete input, and the version on which the input is based, so that a
 * concurrent change by another user is noticed.
 */
export const replacing = (body: TObject): TObject => ({
  ...body,
  properties: { ...body.properties, replaces_version: replacesVersion },
})

const text = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description })

const storedModel = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
  description: 'Model for previews',
})

const stamps = { ...ofDomain, version: Type.Integer(), created_at: Timestamp, updated_at: Timestamp }

const templateHead = {
  template_id: Type.String(),
  alias: text(),
  name: Type.String(),
  subject: text(),
  layout: text('Alias of the layout, or its ID if the layout has no alias'),
}

export const TemplateView = Type.Object({
  ...templateHead,
  html: text(),
  text: text(),
  required: Type.Array(Type.String()),
  inline_css: Type.Boolean(),
  sample_model: storedModel,
  ...stamps,
})
export type TemplateView = Static<typeof TemplateView>

export const TemplateList = Type.Object({
  data: Type.Array(Type.Object({ ...templateHead, ...stamps })),
  next_cursor: text(),
})

const layoutHead = { layout_id: Type.String(), alias: text(), name: Type.String() }

export const LayoutView = Type.Object({
  ...layoutHead,
  html: text(),
  text: text(),
  sample_model: storedModel,
  ...stamps,
})
export type LayoutView = Static<typeof LayoutView>

export const LayoutList = Type.Object({
  data: Type.Array(Type.Object({ ...layoutHead, ...stamps })),
  next_cursor: text(),
})

const versionHead = {
  version: Type.Integer(),
  saved_by: Type.String({ description: 'ID of the key, or `operator`' }),
  created_at: Timestamp,
}

export const VersionList = Type.Object({
  data: Type.Array(Type.Object(versionHead)),
  next_cursor: text(),
})

export const TemplateVersionView = Type.Object({
  ...versionHead,
  alias: text(),
  name: Type.String(),
  subject: text(),
  html: text(),
  text: text(),
  layout: text(),
  required: Type.Array(Type.String()),
  inline_css: Type.Boolean(),
  sample_model: storedModel,
})

export const LayoutVersionView = Type.Object({
  ...versionHead,
  alias: text(),
  name: Type.String(),
  html: text(),
  text: text(),
  sample_model: storedModel,
})

export const RenderBody = Type.Object(
  {
    template_model: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Variables' })),
    layout: Type.Optional(
      Type.String({
        maxLength: TEMPLATE_LIMITS.aliasLength,
        description: 'Alias or ID of a layout that replaces the layout of the template, or `none`',
      }),
    ),
  },
  {
    ...closed,
    description: 'Model',
    examples: [{ template_model: { name: 'Ann', items: [{ title: 'Tea', price: '4.50' }] } }],
  },
)

export const DraftBody = Type.Object(
  {
    subject: part('the subject'),
    html: part('the HTML part'),
    text: part('the text part; without it the text is made from the HTML'),
    layout: optionalText(TEMPLATE_LIMITS.aliasLength, 'alias or ID of the layout around the template'),
    layout_html: part('HTML part of an unsaved layout'),
    layout_text: part('text part of an unsaved layout'),
    required: TemplateBody.properties.required,
    inline_css: TemplateBody.properties.inline_css,
    template_model: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Variables; by default, the suggested model' },
      ),
    ),
  },
  {
    ...closed,
    description: 'Unsaved template',
    examples: [
      {
        subject: 'Your receipt, {{name}}',
        html: '<p>Thank you, {{name}}.</p>',
        template_model: { name: 'Ann' },
      },
    ],
  },
)

export const RenderedView = Type.Object({
  subject: text(),
  html: text(),
  text: text(),
  suggested_template_model: Type.Object(
    {},
    { additionalProperties: true, description: 'Model that fits the template and its layout' },
  ),
})

export const ReferenceParams = Type.Object({
  id_or_alias: Type.String({ minLength: 1, maxLength: TEMPLATE_LIMITS.aliasLength }),
})

export const VersionParams = Type.Object({
  ...ReferenceParams.properties,
  version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }),
})

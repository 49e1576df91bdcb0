// Views of stored templates, layouts and their versions.

import type { Static } from 'typebox'
import { formatTime } from '../../lib/rfc3339.ts'
import type { Layout } from '../../store/workspace/layouts.ts'
import type { TemplateVersion } from '../../store/workspace/template-versions.ts'
import type { Template } from '../../store/workspace/templates.ts'
import { modelIn } from '../../templates/editing.ts'
import { layoutOfVersion } from '../../templates/layout-editing.ts'
import { templateOfVersion } from '../../templates/template-editing.ts'
import type {
  LayoutList,
  LayoutVersionView,
  LayoutView,
  TemplateList,
  TemplateVersionView,
  TemplateView,
  VersionList,
} from '../contract/template.ts'

const stamps = ({ version, created_at, updated_at }: Template | Layout) => ({
  version,
  created_at: formatTime(created_at),
  updated_at: formatTime(updated_at),
})

/** Returns a template as an entry of a list. */
export const templateSummary = (template: Template): Static<typeof TemplateList>['data'][number] => ({
  template_id: template.id,
  alias: template.alias,
  name: template.name,
  subject: template.subject,
  layout: template.layout,
  ...stamps(template),
})

export const templateView = (template: Template): Static<typeof TemplateView> => ({
  ...templateSummary(template),
  html: template.html,
  text: template.text,
  required: JSON.parse(template.required_paths),
  inline_css: template.inline_css === 1,
  sample_model: modelIn(template.sample_model),
})

/** Returns a layout as an entry of a list. */
export const layoutSummary = (layout: Layout): Static<typeof LayoutList>['data'][number] => ({
  layout_id: layout.id,
  alias: layout.alias,
  name: layout.name,
  ...stamps(layout),
})

export const layoutView = (layout: Layout): Static<typeof LayoutView> => ({
  ...layoutSummary(layout),
  html: layout.html,
  text: layout.text,
  sample_model: modelIn(layout.sample_model),
})

/** Returns a version as an entry of a list. */
export const versionSummary = (row: TemplateVersion): Static<typeof VersionList>['data'][number] => ({
  version: row.version,
  saved_by: row.saved_by,
  created_at: formatTime(row.created_at),
})

export function templateVersionView(row: TemplateVersion): Static<typeof TemplateVersionView> {
  const held = templateOfVersion(row)
  return {
    ...versionSummary(row),
    alias: held.alias ?? null,
    name: held.name,
    subject: held.subject ?? null,
    html: held.html ?? null,
    text: held.text ?? null,
    layout: held.layout ?? null,
    required: [...(held.required ?? [])],
    inline_css: held.inline_css ?? false,
    sample_model: held.sample_model ?? null,
  }
}

export function layoutVersionView(row: TemplateVersion): Static<typeof LayoutVersionView> {
  const { alias = null, name, html = null, text = null, sample_model = null } = layoutOfVersion(row)
  return { ...versionSummary(row), alias, name, html, text, sample_model }
}

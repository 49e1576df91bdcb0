// Endpoints of templates and layouts.

import type { Read } from '../../store/database/store.ts'
import { listLayouts } from '../../store/workspace/layouts.ts'
import { listTemplates } from '../../store/workspace/templates.ts'
import type { LayoutEditing } from '../../templates/layout-editing.ts'
import type { TemplateEditing } from '../../templates/template-editing.ts'
import type { Templates } from '../../templates/templates.ts'
import {
  LayoutBody,
  LayoutList,
  LayoutVersionView,
  LayoutView,
  TemplateBody,
  TemplateList,
  TemplateVersionView,
  TemplateView,
} from '../contract/template.ts'
import type { Route } from '../route.ts'
import { editRoutes } from './edit-routes.ts'
import { renderDraft, renderTemplate } from './render-routes.ts'
import {
  layoutSummary,
  layoutVersionView,
  layoutView,
  templateSummary,
  templateVersionView,
  templateView,
} from './view.ts'

export const templateRoutes = (read: Read, editing: TemplateEditing, templates: Templates): Route[] => [
  ...editRoutes(read, {
    word: 'template',
    prefix: 'tpl',
    editing,
    body: TemplateBody,
    shape: TemplateView,
    listShape: TemplateList,
    versionShape: TemplateVersionView,
    list: (owner, page) => listTemplates(read, owner, page),
    view: templateView,
    summary: templateSummary,
    versionView: templateVersionView,
  }),
  renderTemplate(templates),
  renderDraft(templates),
]

export const layoutRoutes = (read: Read, editing: LayoutEditing): Route[] =>
  editRoutes(read, {
    word: 'layout',
    prefix: 'lay',
    editing,
    body: LayoutBody,
    shape: LayoutView,
    listShape: LayoutList,
    versionShape: LayoutVersionView,
    list: (owner, page) => listLayouts(read, owner, page),
    view: layoutView,
    summary: layoutSummary,
    versionView: layoutVersionView,
  })

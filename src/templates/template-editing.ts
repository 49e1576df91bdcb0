// Edits templates.

import { newId } from '../lib/ids.ts'
import type { TemplateInput } from '../model/template.ts'
import { reading } from '../store/database/store.ts'
import { findLayout } from '../store/workspace/layouts.ts'
import type { TemplateVersion } from '../store/workspace/template-versions.ts'
import {
  deleteTemplate,
  findTemplate,
  MAX_TEMPLATES,
  saveTemplate,
  type Template,
} from '../store/workspace/templates.ts'
import { checkTemplate } from './check.ts'
import { isQuickToRead } from './compiled.ts'
import { layoutOf } from './drafts.ts'
import { checkInThread, Editing, type EditingResources, jsonOf, layoutMissing, modelIn } from './editing.ts'

export type TemplateEditing = Editing<Template, TemplateInput>

export const templateEditing = (resources: EditingResources): TemplateEditing => {
  const { store, workers } = resources
  return new Editing(resources, {
    word: 'template',
    most: MAX_TEMPLATES,
    async check(input, editor) {
      const problems =
        workers === undefined || isQuickToRead(input)
          ? checkTemplate(input).problems
          : await checkInThread(workers, editor, 'checkTemplate', input)
      const named = layoutOf(input)
      if (named === undefined || (await reading(findLayout(store.read, editor, named)))) return problems
      return [...problems, layoutMissing]
    },
    find: (owner, reference) => findTemplate(store.read, owner, reference),
    inputOf: templateOfVersion,
    remove: ({ accountId, domainId }, id, seen, now) =>
      store.write(deleteTemplate, { accountId, domainId, id, seen, now }),
    async save(input, { accountId, domainId, savedBy }, { id, replaces }, now) {
      const result = await store.write(saveTemplate, {
        template: {
          id: id ?? newId('tpl', now),
          account_id: accountId,
          domain_id: domainId,
          alias: input.alias ?? null,
          name: input.name,
          subject: input.subject || null,
          html: input.html || null,
          text: input.text || null,
          required_paths: JSON.stringify(input.required ?? []),
          inline_css: input.inline_css === true ? 1 : 0,
          sample_model: jsonOf(input.sample_model),
          created_at: now,
          updated_at: now,
        },
        layout: layoutOf(input) ?? null,
        isNew: id === undefined,
        replaces,
        savedBy,
      })
      return result.kind === 'saved' ? result.template : result.kind
    },
  })
}

/** Returns the content of a version, with the ID of the layout, because an alias may move to another layout. */
export function templateOfVersion({ snapshot }: TemplateVersion): TemplateInput {
  const { required_paths, inline_css, layout_id, sample_model, ...same } = JSON.parse(snapshot)
  return {
    ...same,
    layout: layout_id,
    required: JSON.parse(required_paths),
    inline_css: inline_css === 1,
    sample_model: modelIn(sample_model),
  }
}

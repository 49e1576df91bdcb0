// Edits layouts.

import { newId } from '../lib/ids.ts'
import type { LayoutInput } from '../model/template.ts'
import { deleteLayout, findLayout, type Layout, MAX_LAYOUTS, saveLayout } from '../store/workspace/layouts.ts'
import type { TemplateVersion } from '../store/workspace/template-versions.ts'
import { checkLayout } from './check.ts'
import { isQuickToRead } from './compiled.ts'
import { checkInThread, Editing, type EditingResources, jsonOf, modelIn } from './editing.ts'

export type LayoutEditing = Editing<Layout, LayoutInput>

export const layoutEditing = (resources: EditingResources): LayoutEditing => {
  const { store, workers } = resources
  return new Editing(resources, {
    word: 'layout',
    most: MAX_LAYOUTS,
    check: (input, editor) =>
      workers === undefined || isQuickToRead(input)
        ? checkLayout(input).problems
        : checkInThread(workers, editor, 'checkLayout', input),
    find: (owner, reference) => findLayout(store.read, owner, reference),
    inputOf: layoutOfVersion,
    remove: ({ accountId, domainId }, id, seen, now) =>
      store.write(deleteLayout, { accountId, domainId, id, seen, now }),
    async save(input, { accountId, domainId, savedBy }, { id, replaces }, now) {
      const result = await store.write(saveLayout, {
        layout: {
          id: id ?? newId('lay', now),
          account_id: accountId,
          domain_id: domainId,
          alias: input.alias ?? null,
          name: input.name,
          html: input.html || null,
          text: input.text || null,
          sample_model: jsonOf(input.sample_model),
          created_at: now,
          updated_at: now,
        },
        isNew: id === undefined,
        replaces,
        savedBy,
      })
      return result.kind === 'saved' ? result.layout : result.kind
    },
  })
}

/** Returns the content of a version. */
export function layoutOfVersion({ snapshot }: TemplateVersion): LayoutInput {
  const { sample_model, ...same } = JSON.parse(snapshot)
  return { ...same, sample_model: modelIn(sample_model) }
}

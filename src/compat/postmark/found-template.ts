// Finds a template or a layout by its ID or alias.

import type { Static } from 'typebox'
import type { LayoutView, TemplateView } from '../../api/contract/template.ts'
import { isId } from '../../lib/ids.ts'
import { Problem } from '../../model/problem.ts'
import type { Translation } from '../translation.ts'

/** A template or a layout as `/v1` shows it. */
export type Whole =
  | ({ readonly kind: 'templates'; readonly id: string } & Static<typeof TemplateView>)
  | ({ readonly kind: 'layouts'; readonly id: string } & Static<typeof LayoutView>)

/** Returns the template or the layout with an ID or an alias; undefined if there is none. */
export async function findTemplate(
  translation: Translation,
  id_or_alias: string,
  domain?: string,
): Promise<Whole | undefined> {
  const given = { params: { id_or_alias }, query: domain === undefined ? {} : { domain } }
  for (const kind of isId('lay', id_or_alias)
    ? (['layouts'] as const)
    : (['templates', 'layouts'] as const)) {
    try {
      const { body } = await translation.v1<Static<typeof TemplateView> & Static<typeof LayoutView>>(
        `${kind}.get`,
        given,
      )
      return { ...body, kind, id: kind === 'layouts' ? body.layout_id : body.template_id }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    }
  }
  return undefined
}

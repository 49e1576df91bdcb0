// GET /v1/operator/settings: the settings in force on the node.

import type { Static } from 'typebox'
import { SettingsAnswer } from '../contract/operator.ts'
import { defineRoute } from '../route.ts'

export type ShownSetting = Static<typeof SettingsAnswer>['data'][number]

export const showSettings = (settings: readonly ShownSetting[]) =>
  defineRoute({
    method: 'GET',
    url: '/v1/operator/settings',
    schema: {
      tags: ['Operator'],
      summary: 'List the settings in force',
      description:
        'Returns every setting of the node that answers, with its value, its source and its default. Settings that may contain a secret show `set`.',
      response: { 200: SettingsAnswer },
    },
    refusals: [],
    scope: 'operator:read',
    handler: async () => ({ data: settings, next_cursor: null }),
  })

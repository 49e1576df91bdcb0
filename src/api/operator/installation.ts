// GET /v1/operator/settings and /v1/operator/listings: the settings in force on the node, and the own addresses and domains
// in block lists.

import type { Static } from 'typebox'
import { removalPageOfLook } from '../../health/block-lists.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { listLookPage, placeOf } from '../../store/node/list-looks.ts'
import { ListingsAnswer, ListingsQuery, SettingsAnswer } from '../contract/operator.ts'
import { defineRoute } from '../route.ts'
import { cursorOf, readCursor } from './queue.ts'

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

export const listListings = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/operator/listings',
    schema: {
      tags: ['Operator'],
      summary: 'List the lookups in block lists',
      description:
        'Returns the latest lookup of each address and each sending domain in each block list. Lookups follow every hour; a listing is reported after a second lookup ten minutes later.',
      querystring: ListingsQuery,
      response: { 200: ListingsAnswer },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'operator:read',
    async handler(request) {
      const { limit = 50, cursor, state } = request.query
      const [order, subject, zone] = readCursor(cursor, /^([0-2]) ([^\s\0]{1,253}) ([^\s\0]{1,253})$/)
      const after =
        subject === undefined || zone === undefined ? undefined : { order: Number(order), subject, zone }
      const found = await reading(listLookPage(read, state, limit + 1, after))
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      const place = last && placeOf(last)
      return {
        data: rows.map((row) => ({
          address: row.domain_id === null ? row.subject : null,
          domain: row.domain_id === null ? null : row.subject,
          zone: row.zone,
          state: row.state,
          since: formatTime(row.since),
          checked_at: formatTime(row.checked_at ?? row.since),
          answer: row.answer,
          delist_url: removalPageOfLook(row),
        })),
        next_cursor:
          found.length > limit && place !== undefined
            ? cursorOf(place.order, place.subject, place.zone)
            : null,
      }
    },
  })

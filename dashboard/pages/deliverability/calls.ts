// API calls about the deliverability of mail, and incidents.

import { queryOptions } from '@tanstack/react-query'
import type { DeliverabilityView, IncidentList, IncidentView } from '../../../src/api/contract/incident.ts'
import { get, path, post } from '../../client.ts'

export type Incident = IncidentView
export type Provider = DeliverabilityView['providers'][number]

const EVERY_MS = 30_000

export const deliverabilityQuery = queryOptions({
  queryKey: ['deliverability'],
  queryFn: ({ signal }) => get<DeliverabilityView>('/api/deliverability', undefined, signal),
  refetchInterval: EVERY_MS,
})

export const incidentsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['incidents', 'list', cursor],
    queryFn: ({ signal }) => get<IncidentList>('/api/incidents', { cursor }, signal),
    refetchInterval: EVERY_MS,
  })

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ['incidents', id],
    queryFn: ({ signal }) => get<Incident>(path`/api/incidents/${id}`, undefined, signal),
    refetchInterval: EVERY_MS,
  })

/** Mutes an incident until a time in RFC 3339; null ends the muting. */
export const mute = (id: string, until: string | null): Promise<Incident> =>
  post(path`/api/incidents/${id}/mute`, { until })

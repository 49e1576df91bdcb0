// API calls about streams.

import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { StreamBody, StreamPatch, StreamView } from '../../../src/api/contract/stream.ts'
import { get, type Page, patch, path, post, remove } from '../../client.ts'

export type Stream = Static<typeof StreamView>
export type NewStream = Static<typeof StreamBody>
export type StreamChanges = Static<typeof StreamPatch>

export const streamsQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'streams'],
    queryFn: ({ signal }) =>
      get<Page<Stream>>(path`/api/domains/${domainId}/streams`, { limit: 200 }, signal),
  })

export const createStream = (domainId: string, stream: NewStream): Promise<Stream> =>
  post(path`/api/domains/${domainId}/streams`, stream)

export const changeStream = (domainId: string, alias: string, changes: StreamChanges): Promise<Stream> =>
  patch(path`/api/domains/${domainId}/streams/${alias}`, changes)

/** Removes a stream; returns the stream if it was archived because it has messages, and undefined if it was deleted. */
export const removeStream = (domainId: string, alias: string): Promise<Stream | undefined> =>
  remove(path`/api/domains/${domainId}/streams/${alias}`)

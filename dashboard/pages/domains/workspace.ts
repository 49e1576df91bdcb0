// The domain of the current workspace page.

import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { domainQuery } from './calls.ts'

/** Returns the ID of the domain in the URL of the page. */
export function useDomainId(): string {
  const { domainId } = useParams()
  if (domainId === undefined) throw new Error('This page needs a domain.')
  return domainId
}

/** Returns the name of the domain; undefined while the name is loading. */
export function useDomainName(): string | undefined {
  return useQuery(domainQuery(useDomainId())).data?.domain
}

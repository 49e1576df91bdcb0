// Domain of the page, which every page inside a domain needs.

import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { domainQuery } from './calls.ts'

/** The domain that the address names. */
export function useDomainId(): string {
  const { domainId } = useParams()
  if (domainId === undefined) throw new Error('This page needs a domain.')
  return domainId
}

/** Its name; undefined until it is known. */
export function useDomainName(): string | undefined {
  return useQuery(domainQuery(useDomainId())).data?.domain
}

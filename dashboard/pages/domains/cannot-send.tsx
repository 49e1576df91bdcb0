// Says that a domain cannot send, and why, on pages that hand out ways to send from it.

import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { domainQuery } from './calls.ts'

export function CannotSend({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(domainQuery(domainId))
  if (data === undefined || data.status === 'verified') return null
  const { domain, status, records } = data
  const missing = records.filter((record) => record.required && record.status !== 'found').length
  return (
    <Alert
      color="yellow"
      title={`${domain} cannot send ${status === 'paused' ? 'while it is paused' : 'yet'}`}
    >
      {status === 'paused' ? (
        <>
          Requests are rejected with domain_not_verified. Resume it in the{' '}
          <Anchor component={Link} to={`/domains/${domainId}/settings`} inherit>
            settings
          </Anchor>
          .
        </>
      ) : (
        <>
          Requests are rejected with domain_not_verified until its{' '}
          <Anchor component={Link} to={`/domains/${domainId}/dns`} inherit>
            DNS records
          </Anchor>{' '}
          are found{missing > 0 && ` (${missing} required ${missing === 1 ? 'one is' : 'ones are'} missing)`}.
        </>
      )}
    </Alert>
  )
}

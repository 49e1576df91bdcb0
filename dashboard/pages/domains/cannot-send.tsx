// Notice on the pages of keys and credentials that a domain cannot send, with the reason.

import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { domains as words } from '../../texts/en/domains.ts'
import { counted, fill, parts } from '../../texts/texts.ts'
import { domainQuery } from './calls.ts'

export function CannotSend({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(domainQuery(domainId))
  if (data === undefined || data.status === 'verified') return null
  const { domain_unicode: domain, status, records } = data
  const missing = records.filter((record) => record.required && record.status !== 'found').length
  const { cannotSend } = words
  const linkTo = (page: string, label: string) => (
    <Anchor key={page} component={Link} to={`/domains/${domainId}/${page}`} inherit>
      {label}
    </Anchor>
  )
  return (
    <Alert
      color="yellow"
      title={fill(status === 'paused' ? cannotSend.paused : cannotSend.pending, { domain })}
    >
      {status === 'paused'
        ? parts(cannotSend.pausedHint, { settings: linkTo('settings', cannotSend.settings) })
        : parts(cannotSend.pendingHint, { records: linkTo('dns', cannotSend.records) })}
      {status !== 'paused' && missing > 0 && ` ${counted(cannotSend.missing, missing)}`}
    </Alert>
  )
}

// The audit log: actions of users with time and origin, filtered by actor, action and time, and exported as a file.

import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FilteredTable } from '../../parts/filtered-table.tsx'
import { allEmpty, Choice, Moment, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconDownload, IconHistory } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { account } from '../../texts/en/account.ts'
import { audit as words } from '../../texts/en/audit.ts'
import { locale } from '../../texts/language.ts'
import { domainsQuery } from '../domains/calls.ts'
import { AccountTabs } from './account-tabs.tsx'
import { actionName } from './audit-actions.ts'
import { actorName } from './audit-actor.ts'
import { detailsOf } from './audit-details.ts'
import { targetAddress, targetName } from './audit-target.ts'
import { AUDIT_FILTERS, type AuditEntry, type AuditFilter, auditFileAddress, auditQuery } from './calls.ts'

export function Component() {
  const [filter, change] = useAddressFilter(AUDIT_FILTERS)
  const query = useQuery({ ...auditQuery(filter, useCursor()), refetchInterval: 10_000 })
  const domains = useQuery(domainsQuery).data?.data ?? []
  const ids = new Map(domains.map(({ domain, domain_id }) => [domain, domain_id]))
  return (
    <Page
      title={account.auditLog}
      actions={
        query.data !== undefined && (
          <Button
            component="a"
            href={auditFileAddress(filter)}
            download
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
          >
            {words.export}
          </Button>
        )
      }
    >
      <AccountTabs />
      <FilteredTable
        label={account.auditLog}
        query={query}
        keyOf={({ audit_id }) => audit_id}
        columns={[
          { title: words.time, from: 'sm', cell: ({ at }) => <Time at={at} />, width: 140 },
          { title: words.actor, from: 'sm', cell: ({ actor }) => actorName(actor), width: 230 },
          { title: words.action, cell: (entry) => <What entry={entry} domains={ids} /> },
          { title: words.ipAddress, from: 'md', cell: ({ address }) => address ?? '', width: 140 },
        ]}
        fields={<Fields filter={filter} change={change} />}
        filtered={Object.keys(filter).length > 0}
        clear={() => change(allEmpty(AUDIT_FILTERS))}
        nothing={{ title: words.noMatching, hint: words.noMatchingHint }}
        empty={
          <EmptyState icon={<IconHistory size={36} stroke={1.2} />} title={words.none}>
            {words.noneHint}
          </EmptyState>
        }
      />
    </Page>
  )
}

interface FieldsProps {
  readonly filter: AuditFilter
  readonly change: (change: AuditFilter) => void
}

const Fields = ({ filter, change }: FieldsProps) => (
  <>
    <SearchText
      label={words.actor}
      value={filter.actor ?? ''}
      onChange={(actor) => change({ actor })}
      error={undefined}
    />
    <Choice
      label={words.action}
      value={filter.action}
      onChange={(action) => change({ action })}
      data={Object.entries(words.actions)
        .map(([value, label]) => ({ value, label }))
        .sort((one, other) => one.label.localeCompare(other.label, locale))}
    />
    <Moment label={words.from} value={filter.after} onChange={(after) => change({ after })} />
    <Moment label={words.until} value={filter.before} onChange={(before) => change({ before })} />
  </>
)

interface WhatProps {
  readonly entry: AuditEntry
  /** IDs of the domains of the account by domain name. */
  readonly domains: ReadonlyMap<string, string>
}

function What({ entry, domains }: WhatProps) {
  const { action, actor, at } = entry
  const name = targetName(entry)
  const more = detailsOf(entry, name)
  const address = targetAddress(entry, domains)
  return (
    <>
      <Text inherit fw={500} title={action}>
        {actionName(action)}
      </Text>
      <Text fz="sm" hiddenFrom="sm">
        {actorName(actor)} · <Time at={at} />
      </Text>
      <Text fz="sm" c="dimmed" className="audit-more">
        {address === undefined || name === undefined ? (
          name
        ) : (
          <Anchor component={Link} to={address} inherit underline="always">
            {name}
          </Anchor>
        )}
        {name !== undefined && more !== '' && ' · '}
        {more}
      </Text>
    </>
  )
}

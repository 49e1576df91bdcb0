// The page of an e-mail address: messages to the address in all domains, suppressions, verifications, and actions.

import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconMailSearch } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Page } from '../../parts/page.tsx'
import { useMay } from '../../session.ts'
import { addresses as words } from '../../texts/en/addresses.ts'
import { fill } from '../../texts/texts.ts'
import { domainsQuery } from '../domains/calls.ts'
import { recipientsOf } from '../messages/calls.ts'
import {
  oneLine,
  reasonColumn,
  sentColumn,
  statusColumn,
  subjectColumn,
} from '../messages/message-columns.tsx'
import { outcomeOf } from '../messages/outcome.ts'
import { type AddressMessage, addressMessagesQuery, addressQuery } from '../search/calls.ts'
import { EraseAddress } from './erase-address.tsx'
import { Explanation } from './explanation.tsx'
import { Suppressions } from './suppressions.tsx'
import { Verifications } from './verifications.tsx'

export function Component() {
  const { email = '' } = useParams()
  const record = useQuery(addressQuery(email))
  const may = useMay('developer')
  return (
    <Page
      title={email}
      intro={record.data === undefined ? undefined : countsInWords(record.data)}
      actions={may && record.data !== undefined && <EraseAddress email={email} />}
      size={1240}
    >
      <Stack gap="lg">
        <ErrorNotice error={record.error} again={record.refetch} />
        {record.data !== undefined && (
          <>
            <Explanation record={record.data} />
            <Suppressions record={record.data} />
            <Messages email={email} />
            <Verifications record={record.data} />
          </>
        )}
      </Stack>
    </Page>
  )
}

/** Returns the numbers of messages by status, such as `Delivered 12, bounced 1`. */
function countsInWords({
  counts,
  counted_all,
}: {
  readonly counts: Readonly<Record<string, number>>
  readonly counted_all: boolean
}): string {
  const parts = Object.entries(counts).map(([status, count]) =>
    fill(words.count, { status: inWords(status), count }),
  )
  if (parts.length === 0) return words.noneSent
  const list = parts.join(', ')
  return counted_all ? list : fill(words.ofNewest, { counts: list })
}

function Messages({ email }: { readonly email: string }) {
  const query = useQuery(addressMessagesQuery(email, useCursor()))
  const domains = useQuery(domainsQuery).data?.data ?? []
  const names = new Map(domains.map(({ domain_id, domain_unicode }) => [domain_id, domain_unicode]))
  const linkOf = ({ domain_id, message_id }: AddressMessage) => `/domains/${domain_id}/messages/${message_id}`
  // The outcome of a message with several recipients is the outcome for this address.
  const outcome = (message: AddressMessage) => {
    const own = recipientsOf(message).filter((one) => one.email.toLowerCase() === email.toLowerCase())
    const outcome = outcomeOf({ ...message, to: own, cc: [], bcc: [] })
    return outcome.held === undefined ? { ...outcome, status: own[0]?.status ?? message.status } : outcome
  }
  const columns: readonly Column<AddressMessage>[] = [
    statusColumn(outcome),
    subjectColumn(linkOf, outcome),
    reasonColumn(outcome),
    ...(names.size > 1
      ? [
          {
            title: words.domain,
            cell: ({ domain_id }: AddressMessage) => oneLine(names.get(domain_id) ?? '–'),
            from: 'md' as const,
            width: 180,
          },
        ]
      : []),
    sentColumn(),
  ]
  return (
    <Card title={words.messages} flush>
      <DataTable
        label={words.messages}
        query={query}
        columns={columns}
        keyOf={({ message_id }) => message_id}
        linkOf={linkOf}
        dense
        empty={
          <EmptyState icon={<IconMailSearch size={32} stroke={1.4} />} title={words.noMessages}>
            <Text inherit>{words.noMessagesHint}</Text>
          </EmptyState>
        }
      />
    </Card>
  )
}

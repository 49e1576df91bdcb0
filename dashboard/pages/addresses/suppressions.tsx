// The suppressions of an address in all domains: taking them off, and adding one.

import { Anchor, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { inWords } from '../../parts/in-words.ts'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { domainsQuery } from '../domains/calls.ts'
import { type AddressRecord, addressQuery } from '../search/calls.ts'
import { addSuppressions, removeSuppression } from '../suppressions/calls.ts'

type Suppression = AddressRecord['suppressions'][number]

export function Suppressions({ record }: { readonly record: AddressRecord }) {
  const { email, suppressions } = record
  const may = useMay('developer')
  const domains = useQuery(domainsQuery).data?.data ?? []
  const names = new Map(domains.map(({ domain_id, domain }) => [domain_id, domain]))
  const [removed, setRemoved] = useState<Suppression>()
  const [adding, { open, close }] = useDisclosure()
  const columns: readonly Column<Suppression>[] = [
    { title: 'Domain', cell: ({ domain_id }) => names.get(domain_id) ?? '–' },
    { title: 'Stream', cell: ({ stream }) => (stream === '*' ? 'All' : stream), from: 'sm' },
    { title: 'Reason', cell: (one) => <Reason suppression={one} /> },
    { title: 'Added', cell: ({ created_at }) => <Time at={created_at} />, from: 'xs', number: true },
    ...(may
      ? [
          {
            title: '',
            number: true,
            cell: (one: Suppression) => (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => setRemoved(one)}
                aria-label={`Remove from ${names.get(one.domain_id) ?? 'the list'}, ${one.stream}`}
              >
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Card
      title="Suppressions"
      intro={suppressions.length === 0 ? 'Not suppressed: messages are sent to this address.' : undefined}
      flush
      actions={
        may && (
          <Button size="xs" variant="default" onClick={open}>
            Suppress
          </Button>
        )
      }
    >
      {suppressions.length > 0 ? (
        <DataTable
          label="Suppressions"
          query={{ data: { data: suppressions, next_cursor: null }, error: null, refetch: () => undefined }}
          columns={columns}
          keyOf={({ domain_id, stream, email: spelling }) => `${domain_id} ${stream} ${spelling}`}
          empty={null}
        />
      ) : null}
      <Remove suppression={removed} address={email} onClose={() => setRemoved(undefined)} />
      <Add email={email} opened={adding} onClose={close} />
    </Card>
  )
}

function Reason({ suppression: { reason, message_id, domain_id } }: { readonly suppression: Suppression }) {
  const words = inWords(reason)
  return message_id === null ? (
    words
  ) : (
    <Anchor component={Link} to={`/domains/${domain_id}/messages/${message_id}`} inherit underline="always">
      {words}
    </Anchor>
  )
}

interface RemoveProps {
  readonly suppression: Suppression | undefined
  /** As the page names it. */
  readonly address: string
  readonly onClose: () => void
}

function Remove({ suppression, address, onClose }: RemoveProps) {
  const queries = useQueryClient()
  const removing = useMutation({
    mutationFn: ({ domain_id, ...one }: Suppression) =>
      removeSuppression(domain_id, { ...one, origin: 'customer' }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: addressQuery(address).queryKey })
      tell.done(`${address} removed from the suppression list.`)
      onClose()
    },
  })
  return (
    <Confirm
      opened={suppression !== undefined}
      onClose={() => {
        removing.reset()
        onClose()
      }}
      title={`Send to ${address} again?`}
      action="Remove"
      busy={removing.isPending}
      error={removing.error}
      onConfirm={() => suppression !== undefined && removing.mutate(suppression)}
    >
      {suppression?.reason === 'complaint'
        ? 'This recipient reported a message as spam. Remove the address only if the recipient asked for it: further complaints harm the delivery of all your messages.'
        : 'Messages are sent to this address again. If it hard-bounces again, it is suppressed again.'}
    </Confirm>
  )
}

interface AddProps {
  readonly email: string
  readonly opened: boolean
  readonly onClose: () => void
}

function Add({ email, opened, onClose }: AddProps) {
  const queries = useQueryClient()
  const domains = useQuery(domainsQuery).data?.data ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const domainId = chosen ?? domains[0]?.domain_id
  const add = useMutation({
    mutationFn: (id: string) => addSuppressions(id, [{ email, stream: '*', reason: 'manual' }]),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: addressQuery(email).queryKey })
      tell.done(`${email} suppressed.`)
      onClose()
    },
  })
  return (
    <Modal opened={opened} onClose={onClose} title={`Suppress ${email}?`}>
      <Stack>
        <Text fz="sm">No stream of the domain sends to this address until it is removed from the list.</Text>
        {domains.length > 1 && (
          <Select
            label="Domain"
            data={domains.map(({ domain_id, domain }) => ({ value: domain_id, label: domain }))}
            value={domainId ?? null}
            onChange={setChosen}
            allowDeselect={false}
          />
        )}
        <ErrorNotice error={add.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={domainId === undefined}
            loading={add.isPending}
            onClick={() => domainId !== undefined && add.mutate(domainId)}
          >
            Suppress
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

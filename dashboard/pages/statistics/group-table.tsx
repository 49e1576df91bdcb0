// The figures by stream, tag, receiving provider or cause of bounces; each leads to its events.

import { Anchor, Select, Text } from '@mantine/core'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { inWords } from '../../parts/in-words.ts'
import { duration, share, whole } from '../../parts/numbers.ts'
import type { Counted, Group, Statistics } from './calls.ts'
import { type Choice, type Filter, GROUPS, type GroupBy } from './choice.ts'
import { eventsAddress } from './events-address.ts'
import { deliveryTimesOf } from './rates.ts'

interface GroupTableProps {
  readonly statistics: Statistics
  readonly choice: Choice
  readonly change: (change: Filter) => void
}

export function GroupTable({ statistics, choice, change }: GroupTableProps) {
  const { groupBy } = choice
  return (
    <Card
      title="In parts"
      flush
      actions={
        <Select
          aria-label="Group by"
          w={200}
          data={Object.entries(GROUPS).map(([value, label]) => ({ value, label }))}
          value={groupBy}
          allowDeselect={false}
          onChange={(group) => change({ group: group ?? '' })}
        />
      }
    >
      {groupBy === 'category' ? (
        <Causes statistics={statistics} choice={choice} />
      ) : (
        <Parts statistics={statistics} choice={choice} groupBy={groupBy} change={change} />
      )}
    </Card>
  )
}

/** A whole list as the table takes one. */
const rows = <Row,>(data: readonly Row[] | undefined) => ({
  data: data && { data, next_cursor: null },
  error: null,
  refetch: () => undefined,
})

const NONE: Readonly<Record<GroupBy, string>> = {
  stream: 'No messages in this time.',
  tag: 'No messages with a tag in this time.',
  provider: 'No attempts in this time.',
  category: 'No bounces in this time.',
}

/** Names of what has none of its own. */
const OTHERS: Readonly<Partial<Record<GroupBy, string>>> = { tag: 'Other tags', provider: 'Other hosts' }

interface PartsProps extends GroupTableProps {
  readonly groupBy: Exclude<GroupBy, 'category'>
}

function Parts({ statistics, choice, groupBy, change }: PartsProps) {
  const ofHosts = groupBy === 'provider'
  const count = (title: string, name: Counted, from?: Column<Group>['from']): Column<Group> => ({
    title,
    ...(from === undefined ? {} : { from }),
    number: true,
    cell: (group) => <Count group={group} name={name} {...{ statistics, choice, groupBy }} />,
  })
  const columns: readonly Column<Group>[] = [
    {
      title: GROUPS[groupBy],
      cell: ({ name }) =>
        name === null ? (
          <Text fz="sm">{OTHERS[groupBy]}</Text>
        ) : (
          <Anchor component="button" type="button" fz="sm" onClick={() => change(narrowedTo(groupBy, name))}>
            {name}
          </Anchor>
        ),
    },
    ...(ofHosts ? [] : [count('Accepted', 'accepted', 'sm')]),
    count('Delivered', 'delivered'),
    count('Deferred', 'deferred', 'md'),
    count('Bounced', 'bounced'),
    {
      title: 'Bounce rate',
      from: 'sm',
      number: true,
      cell: ({ bounced, delivered, failed }) => share(bounced, bounced + delivered + failed),
    },
    ...(ofHosts ? [] : [count('Complaints', 'complained', 'md')]),
    {
      title: '95% within',
      from: 'lg',
      number: true,
      cell: (group) => {
        const times = deliveryTimesOf(group, group.delivery_time_ms)
        return times === undefined ? '–' : duration(times.most)
      },
    },
  ]
  return (
    <DataTable
      label={`Figures by ${GROUPS[groupBy].toLowerCase()}`}
      query={rows(statistics.groups ?? undefined)}
      columns={columns}
      keyOf={({ name }) => name ?? ''}
      empty={<Empty groupBy={groupBy} />}
    />
  )
}

/** Figures of both a tag and a provider are not kept: the one takes the place of the other. */
const narrowedTo = (groupBy: GroupBy, name: string): Filter => ({
  ...(groupBy === 'tag' ? { provider: '' } : groupBy === 'provider' ? { tag: '' } : {}),
  [groupBy]: name,
})

interface CountProps extends Omit<PartsProps, 'change'> {
  readonly group: Group
  readonly name: Counted
}

function Count({ group, name, statistics, choice, groupBy }: CountProps) {
  const count = group[name]
  // Tags beyond those that are counted have no name to look for.
  if (count === 0 || (group.name === null && groupBy !== 'provider')) return whole(count)
  const part = { [groupBy]: group.name ?? 'other' }
  return (
    <Anchor component={Link} to={eventsAddress(choice, statistics, { ...part, type: name })} fz="sm">
      {whole(count)}
    </Anchor>
  )
}

function Causes({ statistics, choice }: Omit<GroupTableProps, 'change'>) {
  const causes = Object.entries(statistics.bounced_by_category ?? {})
  const total = causes.reduce((sum, [, count]) => sum + count, 0)
  const columns: readonly Column<(typeof causes)[number]>[] = [
    { title: 'Cause', cell: ([category]) => inWords(category) },
    {
      title: 'Bounced',
      number: true,
      cell: ([category, count]) => (
        <Anchor
          component={Link}
          to={eventsAddress(choice, statistics, { category, type: 'bounced' })}
          fz="sm"
        >
          {whole(count)}
        </Anchor>
      ),
    },
    { title: 'Share', number: true, cell: ([, count]) => share(count, total) },
  ]
  return (
    <DataTable
      label="Bounces by cause"
      query={rows(causes.toSorted(([, one], [, other]) => other - one))}
      columns={columns}
      keyOf={([category]) => category}
      empty={
        statistics.bounced_by_category === null ? (
          <Text c="dimmed" p="lg">
            Causes are not kept by tag or provider. Clear that filter to see them.
          </Text>
        ) : (
          <Empty groupBy="category" />
        )
      }
    />
  )
}

const Empty = ({ groupBy }: { readonly groupBy: GroupBy }) => (
  <Text c="dimmed" p="lg">
    {NONE[groupBy]}
  </Text>
)

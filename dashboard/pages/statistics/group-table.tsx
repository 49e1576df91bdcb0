// The figures by stream, tag, receiving provider or cause of bounces, with links to their events.

import { Anchor, Select, Text } from '@mantine/core'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { inWords } from '../../parts/in-words.ts'
import { duration, share, whole } from '../../parts/numbers.ts'
import { statistics as words } from '../../texts/en/statistics.ts'
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
      title={words.inParts}
      flush
      actions={
        <Select
          aria-label={words.groupBy}
          w={200}
          data={GROUPS.map((value) => ({ value, label: words.groups[value] }))}
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

/** Returns a complete list in the form of a query result. */
const rows = <Row,>(data: readonly Row[] | undefined) => ({
  data: data && { data, next_cursor: null },
  error: null,
  refetch: () => undefined,
})

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
      title: words.groups[groupBy],
      cell: ({ name }) =>
        name === null ? (
          <Text fz="sm">{words.others[groupBy]}</Text>
        ) : (
          <Anchor component="button" type="button" fz="sm" onClick={() => change(narrowedTo(groupBy, name))}>
            {name}
          </Anchor>
        ),
    },
    ...(ofHosts ? [] : [count(words.accepted, 'accepted', 'sm')]),
    count(words.delivered, 'delivered'),
    count(words.deferred, 'deferred', 'md'),
    count(words.bounced, 'bounced'),
    {
      title: words.bounceRate,
      from: 'sm',
      number: true,
      cell: ({ bounced, delivered, failed }) => share(bounced, bounced + delivered + failed),
    },
    ...(ofHosts ? [] : [count(words.complaints, 'complained', 'md')]),
    {
      title: words.mostWithin,
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
      label={words.figuresBy[groupBy]}
      query={rows(statistics.groups ?? undefined)}
      columns={columns}
      keyOf={({ name }) => name ?? ''}
      empty={<Empty groupBy={groupBy} />}
    />
  )
}

/**
 * Returns the filter for a group; the service has no figures for a tag and a provider together, so one filter replaces
 * the other.
 */
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
  // The group of all uncounted tags has no name, so a link cannot find its events.
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
    { title: words.cause, cell: ([category]) => inWords(category) },
    {
      title: words.bounced,
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
    { title: words.share, number: true, cell: ([, count]) => share(count, total) },
  ]
  return (
    <DataTable
      label={words.figuresBy.category}
      query={rows(causes.toSorted(([, one], [, other]) => other - one))}
      columns={columns}
      keyOf={([category]) => category}
      empty={
        statistics.bounced_by_category === null ? (
          <Text c="dimmed" p="lg">
            {words.noCauses}
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
    {words.noneOf[groupBy]}
  </Text>
)

// The list of the templates or layouts of a domain, with a form for a new one.

import { Anchor, Button, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconFileText, IconLayout, IconPlus } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { templates as words } from '../../texts/en/templates.ts'
import { useDomainId } from '../domains/workspace.ts'
import { type LayoutLine, layoutsQuery, type Noun, type TemplateLine, templatesQuery } from './calls.ts'
import { CreateForm } from './create-form.tsx'

type Line = TemplateLine | LayoutLine

const idOf = (line: Line): string => ('template_id' in line ? line.template_id : line.layout_id)

const ICONS = { template: IconFileText, layout: IconLayout } as const

export function TemplatesPage() {
  const query = useQuery(templatesQuery(useDomainId(), useCursor()))
  return <ListPage noun="template" query={query} />
}

export function LayoutsPage() {
  const query = useQuery(layoutsQuery(useDomainId(), useCursor()))
  return <ListPage noun="layout" query={query} />
}

interface ListPageProps {
  readonly noun: Noun
  readonly query: Parameters<typeof DataTable<Line>>[0]['query']
}

function ListPage({ noun, query }: ListPageProps) {
  const domainId = useDomainId()
  const may = useMay('developer')
  const [opened, { open, close }] = useDisclosure()
  const { title, intro, none, empty, new: make } = words[noun]
  const Icon = ICONS[noun]
  const linkOf = (line: Line) => `/domains/${domainId}/${noun}s/${idOf(line)}`
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {make}
    </Button>
  )
  return (
    <Page title={title} intro={intro} actions={create}>
      <Card flush>
        <DataTable
          label={title}
          query={query}
          columns={columns(noun, linkOf)}
          keyOf={idOf}
          linkOf={linkOf}
          empty={
            <EmptyState icon={<Icon size={32} stroke={1.4} />} title={none} action={create}>
              {empty}
            </EmptyState>
          }
        />
      </Card>
      <Modal opened={opened} onClose={close} title={make} size={noun === 'template' ? 'lg' : 'md'}>
        <CreateForm noun={noun} domainId={domainId} />
      </Modal>
    </Page>
  )
}

const columns = (noun: Noun, linkOf: (line: Line) => string): readonly Column<Line>[] => [
  {
    title: words.name,
    cell: (line) => (
      <div className="two-lines">
        <Anchor component={Link} to={linkOf(line)} fw={500} fz="sm" c="var(--mantine-color-text)">
          {line.name}
        </Anchor>
        {'subject' in line && line.subject && (
          <Text fz="sm" c="dimmed" lineClamp={1}>
            {line.subject}
          </Text>
        )}
      </div>
    ),
  },
  {
    title: words.alias,
    cell: ({ alias }) => (alias ? <span className="code-line">{alias}</span> : ''),
    from: 'xs',
  },
  ...(noun === 'template'
    ? [
        {
          title: words.layout.one,
          cell: (line: Line) => ('layout' in line ? (line.layout ?? '') : ''),
          from: 'md' as const,
        },
      ]
    : []),
  { title: words.version, cell: ({ version }) => version, number: true, from: 'sm' },
  { title: words.saved, cell: ({ updated_at }) => <Time at={updated_at} />, number: true },
]

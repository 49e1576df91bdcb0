// The templates or layouts of a domain, and making one.

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
import { useDomainId } from '../domains/workspace.ts'
import { type LayoutLine, layoutsQuery, type Noun, type TemplateLine, templatesQuery } from './calls.ts'
import { CreateForm } from './create-form.tsx'

type Line = TemplateLine | LayoutLine

const idOf = (line: Line): string => ('template_id' in line ? line.template_id : line.layout_id)

const WORDS = {
  template: {
    title: 'Templates',
    intro: 'Reusable content, sent by alias with a template model.',
    empty: 'Create a template with variables and send it by its alias.',
    icon: IconFileText,
  },
  layout: {
    title: 'Layouts',
    intro: 'Shared header, logo and footer around templates.',
    empty:
      'A layout holds the parts that all messages share, so that templates contain only their own content.',
    icon: IconLayout,
  },
} as const

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
  const { title, intro, empty, icon: Icon } = WORDS[noun]
  const linkOf = (line: Line) => `/domains/${domainId}/${noun}s/${idOf(line)}`
  const make = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New {noun}
    </Button>
  )
  return (
    <Page title={title} intro={intro} actions={make}>
      <Card flush>
        <DataTable
          label={title}
          query={query}
          columns={columns(noun, linkOf)}
          keyOf={idOf}
          linkOf={linkOf}
          empty={
            <EmptyState icon={<Icon size={32} stroke={1.4} />} title={`No ${noun}s yet`} action={make}>
              {empty}
            </EmptyState>
          }
        />
      </Card>
      <Modal opened={opened} onClose={close} title={`New ${noun}`} size={noun === 'template' ? 'lg' : 'md'}>
        <CreateForm noun={noun} domainId={domainId} />
      </Modal>
    </Page>
  )
}

const columns = (noun: Noun, linkOf: (line: Line) => string): readonly Column<Line>[] => [
  {
    title: 'Name',
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
    title: 'Alias',
    cell: ({ alias }) => (alias ? <span className="code-line">{alias}</span> : ''),
    from: 'xs',
  },
  ...(noun === 'template'
    ? [
        {
          title: 'Layout',
          cell: (line: Line) => ('layout' in line ? (line.layout ?? '') : ''),
          from: 'md' as const,
        },
      ]
    : []),
  { title: 'Version', cell: ({ version }) => version, number: true, from: 'sm' },
  { title: 'Saved', cell: ({ updated_at }) => <Time at={updated_at} />, number: true },
]

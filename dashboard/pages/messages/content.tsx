// Content of a message: its HTML in a sandbox, its text, its header fields and its source.

import { Alert, Anchor, Badge, Group, Table } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { ForeignDocument } from '../../parts/foreign-frame.tsx'
import { ForeignText } from '../../parts/foreign-text.tsx'
import { IconFileOff } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { parts } from '../../texts/texts.ts'
import { type Attachment, contentQuery, htmlAddress, rawAddress, rawQuery } from './calls.ts'

interface ContentProps {
  readonly domainId: string
  readonly messageId: string
}

export function Html({ domainId, messageId }: ContentProps) {
  const query = useQuery(contentQuery(domainId, messageId))
  return (
    <Fetched query={query}>
      {({ html, content_incomplete: cut }) => (
        <>
          {cut && <Cut whole={rawAddress(domainId, messageId)} name={messageId} />}
          {html ? (
            <ForeignDocument title={words.htmlOf} src={htmlAddress(domainId, messageId)} />
          ) : (
            <Without title={words.noHtml} />
          )}
        </>
      )}
    </Fetched>
  )
}

export function PlainText({ domainId, messageId }: ContentProps) {
  const query = useQuery(contentQuery(domainId, messageId))
  return (
    <Fetched query={query}>
      {({ text, content_incomplete: cut }) => (
        <>
          {cut && <Cut whole={rawAddress(domainId, messageId)} name={messageId} />}
          {text ? <ForeignText text={text} what={words.views.text} /> : <Without title={words.noText} />}
        </>
      )}
    </Fetched>
  )
}

/** Names and sizes of the attachments of a message; a name that is wider than the page has several lines. */
export function Attachments({ files }: { readonly files: readonly Attachment[] }) {
  return (
    <Group gap="xs" role="group" aria-label={words.attachments}>
      {files.map(({ filename, content_type, size }, index) => (
        <Badge
          // biome-ignore lint/suspicious/noArrayIndexKey: a message never changes
          key={index}
          variant="default"
          tt="none"
          fw={400}
          maw="100%"
          h="auto"
          mih={20}
          radius="md"
          styles={{ label: { whiteSpace: 'normal' } }}
        >
          {filename ?? content_type} · {byteSize(size)}
        </Badge>
      ))}
    </Group>
  )
}

export function Headers({ domainId, messageId }: ContentProps) {
  const query = useQuery(contentQuery(domainId, messageId))
  return <Fetched query={query}>{({ headers = [] }) => <HeaderTable headers={headers} />}</Fetched>
}

export function HeaderTable({
  headers,
}: {
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label={words.headerFields}>
      <Table className="data-table headers" aria-label={words.headerFields} verticalSpacing={6}>
        <Table.Tbody>
          {headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: fields repeat, and their order stays
            <Table.Tr key={index}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td className="code-line">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

export function Source({ domainId, messageId }: ContentProps) {
  const query = useQuery(rawQuery(domainId, messageId))
  return <RawSource query={query} href={rawAddress(domainId, messageId)} id={messageId} />
}

interface RawSourceProps {
  readonly query: UseQueryResult<string>
  /** URL of the complete source. */
  readonly href: string
  readonly id: string
}

/** The source of a sent or received message, as it was transmitted. */
export const RawSource = ({ query, href, id }: RawSourceProps) => (
  <Fetched query={query}>
    {(raw) => <ForeignText text={raw} what={words.views.source} download={{ href, name: `${id}.eml` }} />}
  </Fetched>
)

/** Notice that the shown content is truncated, with a link to the complete content. */
export const Cut = ({ whole, name }: { readonly whole: string; readonly name: string }) => (
  <Alert color="yellow" mb="md" title={words.truncated}>
    {parts(words.truncatedHint, {
      download: (
        <Anchor key="download" href={whole} download={`${name}.eml`} inherit underline="always">
          {words.download}
        </Anchor>
      ),
    })}
  </Alert>
)

interface FetchedProps<Data> {
  readonly query: UseQueryResult<Data>
  readonly children: (data: Data) => ReactNode
}

/** Shows the data of a query, or its loading state or error. */
export function Fetched<Data>({ query: { data, error, refetch }, children }: FetchedProps<Data>) {
  return (
    <Card>
      {data !== undefined ? (
        children(data)
      ) : error === null ? (
        <Loading />
      ) : (
        <ErrorNotice error={error} again={refetch} />
      )}
    </Card>
  )
}

export const Without = ({ title }: { readonly title: string }) => (
  <EmptyState icon={<IconFileOff size={32} stroke={1.4} />} title={title} />
)

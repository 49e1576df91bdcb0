// The versions of a template or layout with author, time and changes, and a button that restores a version.

import { Anchor, Button, Drawer, Group, SegmentedControl, Stack, Tabs, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { ForeignPre } from '../../parts/foreign-text.tsx'
import { IconArrowLeft, IconHistory } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay, useSession } from '../../session.ts'
import { common } from '../../texts/en/common.ts'
import { templates } from '../../texts/en/templates.ts'
import { fill } from '../../texts/texts.ts'
import {
  type Noun,
  restore,
  type Saved,
  savedQuery,
  type Version,
  type VersionContent,
  versionQuery,
  versionsQuery,
} from './calls.ts'
import { Differences } from './differences.tsx'

const words = templates.versions

interface VersionsProps {
  readonly noun: Noun
  readonly domainId: string
  readonly saved: Saved
  /** True if the editor has unsaved changes. */
  readonly dirty: boolean
  readonly onRestored: (saved: Saved) => void
}

/** Visible version, or all versions; undefined if the dialog is closed. */
export type Looking = number | 'all' | undefined

interface LookingProps {
  readonly looking: Looking
  readonly onLook: (looking: Looking) => void
}

export function Versions({ looking, onLook, ...props }: VersionsProps & LookingProps) {
  const close = () => onLook(undefined)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconHistory size={16} stroke={1.6} />}
        onClick={() => onLook('all')}
      >
        {words.title}
      </Button>
      <Drawer
        opened={looking !== undefined}
        onClose={close}
        position="right"
        size="lg"
        closeButtonProps={{ 'aria-label': common.close }}
        title={
          typeof looking === 'number' ? fill(templates.versionNumber, { version: looking }) : words.title
        }
      >
        {typeof looking === 'number' ? (
          <One {...props} version={looking} back={() => onLook('all')} done={close} />
        ) : (
          <List {...props} choose={onLook} />
        )}
      </Drawer>
    </>
  )
}

function List({
  noun,
  domainId,
  saved,
  choose,
}: VersionsProps & { readonly choose: (version: number) => void }) {
  const [cursor, setCursor] = useState<string>()
  const { data, error, refetch } = useQuery(versionsQuery(noun, domainId, saved.id, cursor))
  if (data === undefined) return error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />
  return (
    <Stack gap={0}>
      {data.data.map((one) => (
        <Group key={one.version} justify="space-between" py="sm" className="version-line">
          <div>
            <Text fz="sm" fw={500}>
              {fill(one.version === saved.version ? words.current : templates.versionNumber, {
                version: one.version,
              })}
            </Text>
            <Text fz="sm" c="dimmed">
              <Time at={one.created_at} exact />, <Author version={one} />
            </Text>
          </div>
          <Button
            variant="default"
            size="xs"
            onClick={() => choose(one.version)}
            aria-label={fill(words.viewOne, { version: one.version })}
          >
            {words.view}
          </Button>
        </Group>
      ))}
      <Group justify="space-between" mt="md">
        {cursor !== undefined && (
          <Button variant="default" size="xs" onClick={() => setCursor(undefined)}>
            {words.newest}
          </Button>
        )}
        {data.next_cursor !== null && (
          <Button variant="default" size="xs" onClick={() => setCursor(data.next_cursor ?? undefined)}>
            {words.older}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Author({ version: { saved_by } }: { readonly version: Version }) {
  const { user } = useSession()
  if (saved_by === user.user_id) return words.byYou
  if (saved_by === 'command_line') return words.byCommand
  return saved_by.startsWith('key_')
    ? fill(words.byKey, { key: saved_by })
    : fill(words.by, { name: saved_by })
}

interface OneProps extends VersionsProps {
  readonly version: number
  readonly back: () => void
  readonly done: () => void
}

function One({ noun, domainId, saved, dirty, version, onRestored, back, done }: OneProps) {
  const queries = useQueryClient()
  const may = useMay('developer')
  const { data, error, refetch } = useQuery(versionQuery(noun, domainId, saved.id, version))
  const [asked, ask] = useDisclosure()
  const restoring = useMutation({
    mutationFn: () => restore(noun, domainId, saved.id, version),
    onSuccess: (next) => {
      queries.setQueryData(savedQuery(noun, domainId, saved.id).queryKey, next)
      onRestored(next)
      tell.done(fill(words.restored, { version, next: next.version }))
      void queries.invalidateQueries({ queryKey: ['domains', domainId, noun, saved.id, 'versions'] })
      done()
    },
  })
  return (
    <Stack>
      <Group justify="space-between">
        <Anchor component="button" type="button" onClick={back} fz="sm">
          <Group gap={4} component="span">
            <IconArrowLeft size={14} /> {words.all}
          </Group>
        </Anchor>
        {may && version !== saved.version && (
          <ActionButton
            loading={restoring.isPending}
            onClick={() => (dirty ? ask.open() : restoring.mutate())}
            disabled={data === undefined}
          >
            {words.restore}
          </ActionButton>
        )}
      </Group>
      <Confirm
        opened={asked}
        onClose={() => {
          restoring.reset()
          ask.close()
        }}
        title={fill(words.restoreQuestion, { version })}
        action={words.restore}
        busy={restoring.isPending}
        error={restoring.error}
        onConfirm={() => restoring.mutate()}
      >
        {words.restoreHint}
      </Confirm>
      <ErrorNotice
        error={(asked ? null : restoring.error) ?? error}
        again={restoring.isError ? undefined : refetch}
      />
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <>
          <Text fw={500}>{data.name}</Text>
          {data.subject && <Text fz="sm">{fill(templates.preview.subject, { subject: data.subject })}</Text>}
          <Tabs defaultValue="changes" keepMounted={false}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="changes">{words.changes}</Tabs.Tab>
              <Tabs.Tab value="html">{templates.fields.html}</Tabs.Tab>
              <Tabs.Tab value="text">{templates.fields.text}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="changes">
              <Changes noun={noun} domainId={domainId} saved={saved} version={version} content={data} />
            </Tabs.Panel>
            <Tabs.Panel value="html">
              <ForeignPre text={data.html ?? ''} label={templates.fields.htmlPart} />
            </Tabs.Panel>
            <Tabs.Panel value="text">
              <ForeignPre text={data.text ?? ''} label={templates.fields.textPart} />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </Stack>
  )
}

interface ChangesProps extends Omit<VersionsProps, 'onRestored' | 'dirty'> {
  readonly version: number
  readonly content: VersionContent
}

/** Differences of a version from the previous or the current version. */
function Changes({ noun, domainId, saved, version, content }: ChangesProps) {
  const [against, setAgainst] = useState(version > 1 ? 'before' : 'current')
  const before = version - 1
  const other = against === 'before' ? before : saved.version
  const { data, error, refetch } = useQuery(versionQuery(noun, domainId, saved.id, other))
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={words.compare}
        value={against}
        onChange={setAgainst}
        data={[
          ...(version > 1 ? [{ value: 'before', label: fill(words.since, { version: before }) }] : []),
          ...(version < saved.version ? [{ value: 'current', label: words.until }] : []),
        ]}
      />
      {data !== undefined ? (
        <Differences
          from={against === 'before' ? data : content}
          to={against === 'before' ? content : data}
        />
      ) : error === null ? (
        <Loading />
      ) : (
        <ErrorNotice error={error} again={refetch} />
      )}
    </Stack>
  )
}

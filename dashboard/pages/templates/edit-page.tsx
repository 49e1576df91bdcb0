// The editor of a template or layout, with its parts and variables next to the preview.

import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useParams } from 'react-router'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { type Finding, findingsQuery } from '../../parts/finding-list.tsx'
import { IconArrowsMaximize, IconDeviceFloppy } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { tell } from '../../parts/tell.ts'
import { useMay } from '../../session.ts'
import { templates as words } from '../../texts/en/templates.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import { type Noun, type Rendered, renderedQuery, type Saved, save, savedQuery } from './calls.ts'
import { bodyOf, type Draft, renderRequestOf, useDraft } from './draft.ts'
import { useModel } from './model.ts'
import { MoreActions } from './more-actions.tsx'
import { Overtaken } from './overtaken.tsx'
import { PartsEditor } from './parts-editor.tsx'
import { Preview } from './preview.tsx'
import { TestSend } from './test-send.tsx'
import { UseTemplate } from './use-template.tsx'
import { type Looking, Versions } from './versions.tsx'

export function EditPage({ noun }: { readonly noun: Noun }) {
  const domainId = useDomainId()
  const { id = '' } = useParams()
  const { data, error, refetch } = useQuery(savedQuery(noun, domainId, id))
  if (data !== undefined) return <Editor key={data.id} noun={noun} domainId={domainId} saved={data} />
  return (
    <Page title={words[noun].one} above={<Back noun={noun} />}>
      {error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}
    </Page>
  )
}

function Back({ noun }: { readonly noun: Noun }) {
  const domainId = useDomainId()
  return <BackLink to={`/domains/${domainId}/${noun}s`}>{words[noun].title}</BackLink>
}

interface EditorProps {
  readonly noun: Noun
  readonly domainId: string
  readonly saved: Saved
}

const PAUSE_MS = 250

function Editor({ noun, domainId, saved }: EditorProps) {
  const may = useMay('developer')
  const { draft, base, dirty, overtaken, change, startFrom, goOnFrom } = useDraft(noun, saved)
  const [suggested, setSuggested] = useState<object>()
  const model = useModel(draft.model, (text) => change({ model: text }), suggested)
  const [request] = useDebouncedValue(renderRequestOf(noun, draft, model.value), PAUSE_MS)
  const rendered = useQuery(renderedQuery(domainId, model.problems.length > 0 ? undefined : request))
  const last = useLast(rendered.data)
  if (last !== undefined && last.suggested_template_model !== suggested)
    setSuggested(last.suggested_template_model)
  const saving = useSaving(noun, domainId, saved, goOnFrom)
  const [looking, setLooking] = useState<Looking>()
  const submit = (replaces = base) => saving.mutate({ draft, replaces })
  const mayBeSaved = may && dirty && !overtaken && model.problems.length === 0
  useHotkeys([['mod+S', () => mayBeSaved && !saving.isPending && submit()]], [], true)
  const problems = problemsOf(rendered.error, saving.error)
  const findings = useFindings(domainId, may ? draft : undefined, last)
  const [isFull, full] = useDisclosure()
  const saveButton = (
    <ActionButton
      leftSection={<IconDeviceFloppy size={16} stroke={1.6} />}
      disabled={!mayBeSaved}
      loading={saving.isPending}
      onClick={() => submit()}
    >
      {words.save}
    </ActionButton>
  )
  const columns = (
    <div className="editor-columns">
      <PartsEditor
        noun={noun}
        domainId={domainId}
        draft={draft}
        change={change}
        readOnly={!may}
        problems={problems}
        findings={findings}
        model={model}
        suggested={suggested}
      />
      <Preview
        noun={noun}
        rendered={last}
        stale={rendered.isError || model.problems.length > 0}
        findings={may ? findings : undefined}
      />
    </div>
  )
  return (
    <Page
      title={saved.name}
      above={<Back noun={noun} />}
      size={1680}
      intro={<State saved={saved} dirty={dirty} />}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconArrowsMaximize size={16} stroke={1.6} />}
            onClick={full.open}
            visibleFrom="sm"
          >
            {words.fullScreen}
          </Button>
          <Versions
            noun={noun}
            domainId={domainId}
            saved={saved}
            dirty={dirty}
            onRestored={startFrom}
            looking={looking}
            onLook={setLooking}
          />
          {noun === 'template' && <UseTemplate domainId={domainId} saved={saved} model={model.value} />}
          {may && noun === 'template' && (
            <TestSend
              domainId={domainId}
              saved={saved}
              dirty={dirty}
              model={model.value}
              rendered={rendered.isError || rendered.isPlaceholderData ? undefined : rendered.data}
            />
          )}
          {may && (
            <>
              {saveButton}
              <MoreActions
                noun={noun}
                domainId={domainId}
                saved={saved}
                body={bodyOf(noun, draft)}
                discard={dirty ? () => startFrom(saved) : undefined}
              />
            </>
          )}
        </>
      }
    >
      <Stack gap="md">
        {overtaken && (
          <Overtaken
            version={saved.version}
            onLook={() => setLooking(saved.version)}
            onSave={() => submit(saved.version)}
            onDiscard={() => startFrom(saved)}
          />
        )}
        {/* Problems of fields are shown next to the fields. */}
        <ErrorNotice
          error={rendered.error}
          except={fieldsOf(rendered.error).map(({ path }) => path)}
          again={rendered.refetch}
        />
        <ErrorNotice
          error={saving.error}
          except={['replaces_version', ...problems.map(({ path }) => path)]}
        />
        {isFull ? (
          <FullScreen title={draft.name} onClose={full.close} actions={may && saveButton}>
            {columns}
          </FullScreen>
        ) : (
          columns
        )}
      </Stack>
    </Page>
  )
}

interface FullScreenProps {
  readonly title: string
  readonly onClose: () => void
  readonly actions: ReactNode
  readonly children: ReactNode
}

/** The editor in the whole window. */
function FullScreen({ title, onClose, actions, children }: FullScreenProps) {
  return (
    <Modal.Root
      opened
      fullScreen
      onClose={onClose}
      // The Escape key also closes a list of completions, so the dialog must not close then.
      closeOnEscape={false}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose()
      }}
    >
      <Modal.Content className="editor-full">
        <Modal.Header>
          <Modal.Title>{title}</Modal.Title>
          <Group gap="xs">
            {actions}
            <Button variant="default" onClick={onClose}>
              {words.exitFullScreen}
            </Button>
          </Group>
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

interface Sent {
  readonly draft: Draft
  readonly replaces: number
}

function useSaving(noun: Noun, domainId: string, saved: Saved, goOnFrom: (next: Saved, sent: Draft) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ draft, replaces }: Sent) => save(noun, domainId, saved.id, bodyOf(noun, draft), replaces),
    onError: (error) => {
      // Another user has saved a version in the meantime; the page shows this version as soon as it is loaded.
      if (error instanceof ProblemError && error.field('replaces_version') !== undefined) {
        void queries.invalidateQueries({ queryKey: savedQuery(noun, domainId, saved.id).queryKey })
      }
    },
    onSuccess: (next, { draft: sent }) => {
      queries.setQueryData(savedQuery(noun, domainId, saved.id).queryKey, next)
      goOnFrom(next, sent)
      tell.done(fill(words.savedAs, { version: next.version }))
      void queries.invalidateQueries({ queryKey: ['domains', domainId, `${noun}s`] })
      void queries.invalidateQueries({ queryKey: ['domains', domainId, noun, saved.id, 'versions'] })
    },
  })
}

/**
 * Returns the findings of a draft: those of its source, which have a place in the editor, and placeholders that its
 * rendering prints.
 */
function useFindings(domainId: string, draft: Draft | undefined, rendered: Rendered | undefined) {
  const parts = draft && { subject: draft.subject, html: draft.html, text: draft.text, unrendered: true }
  const [source] = useDebouncedValue(parts, PAUSE_MS)
  const ofSource = useLast(useQuery(findingsQuery(domainId, withContent(source))).data) ?? []
  const printed = draft && rendered && { html: rendered.html ?? '', text: rendered.text ?? '' }
  const ofPrinted = useLast(useQuery(findingsQuery(domainId, withContent(printed))).data) ?? []
  const places = new Set(ofSource.map(({ code }) => code))
  const more: readonly Finding[] = ofPrinted
    .filter(({ code }) => PRINTED.has(code) && !places.has(code))
    .map(({ line: _line, column: _column, ...one }) => one)
  return [...ofSource, ...more].toSorted((one, other) => severityOf(one) - severityOf(other))
}

/** Codes of findings that depend on the model. */
const PRINTED: ReadonlySet<string> = new Set([
  'placeholder',
  'link_placeholder',
  'link_invalid',
  'text_missing',
])
const severityOf = ({ severity }: Finding): number => ['error', 'warning', 'hint'].indexOf(severity)

/** Returns the parts that are not empty; undefined if there are none. */
function withContent<
  Parts extends { readonly html: string; readonly text: string; readonly subject?: string },
>(parts: Parts | undefined) {
  if (parts === undefined || (parts.html === '' && parts.text === '')) return undefined
  const { html, text, subject, ...others } = parts
  return {
    ...others,
    ...(html === '' ? {} : { html }),
    ...(text === '' ? {} : { text }),
    ...(subject === undefined || subject === '' ? {} : { subject }),
  }
}

/** Returns the value, or the last defined value if the value is undefined now. */
function useLast<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}

const fieldsOf = (error: Error | null) => (error instanceof ProblemError ? error.errors : [])

/** Returns the problems of the fields: problems of the last rendering, and further problems of the last save. */
function problemsOf(rendering: Error | null, saving: Error | null) {
  const found = fieldsOf(rendering).map((one) => ({ ...one, path: one.path.replace(/^layout_/, '') }))
  const known = new Set(found.map(({ path }) => path))
  return [...found, ...fieldsOf(saving).filter(({ path }) => !known.has(path))]
}

function State({ saved, dirty }: { readonly saved: Saved; readonly dirty: boolean }) {
  return (
    <Group gap="sm" component="span">
      <Text span fz="sm" c="dimmed">
        {saved.alias ?? saved.id}
      </Text>
      <Badge variant="light" color={dirty ? 'yellow' : 'gray'} tt="none" fw={500}>
        {dirty ? words.notSaved : fill(words.versionNumber, { version: saved.version })}
      </Badge>
    </Group>
  )
}

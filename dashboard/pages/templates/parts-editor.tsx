// Fields of a template or layout: name, parts, variables and required paths.

import { Button, Checkbox, Select, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FieldProblem } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import type { Finding } from '../../parts/finding-list.tsx'
import { atOwnName } from '../../parts/problem-words.ts'
import { templates as words } from '../../texts/en/templates.ts'
import { parts } from '../../texts/texts.ts'
import { layoutsQuery, type Noun } from './calls.ts'
import { CodeField } from './code-field.tsx'
import { completionsAt } from './completion.ts'
import type { Draft } from './draft.ts'
import type { Model } from './model.ts'

const fields = words.fields

interface PartsEditorProps {
  readonly noun: Noun
  readonly domainId: string
  readonly draft: Draft
  readonly change: (changed: Partial<Draft>) => void
  readonly readOnly: boolean
  readonly problems: readonly FieldProblem[]
  /** Findings of the check, which are marked in the editor. */
  readonly findings?: readonly Finding[]
  readonly model: Model
  readonly suggested: object | undefined
}

export function PartsEditor(props: PartsEditorProps) {
  const { noun, draft, change, readOnly, problems, findings = [], model } = props
  const names = noun === 'layout' ? ['content', 'unsubscribe_url'] : ['unsubscribe_url']
  const of = (path: string) => problems.filter((one) => one.path === path)
  const code = (part: 'html' | 'text', label: string) => (
    <CodeField
      label={label}
      language={part}
      value={draft[part]}
      onChange={(value) => change({ [part]: value })}
      problems={of(part)}
      marks={findings.filter(({ path, severity }) => path === part && severity !== 'hint')}
      height="var(--code-height)"
      complete={(before) => completionsAt(before, model.known, names)}
      readOnly={readOnly}
    />
  )
  const tab = (part: string, label: string, wrong = of(part).length > 0) => (
    <Tabs.Tab value={part} rightSection={wrong && <Wrong />}>
      {label}
    </Tabs.Tab>
  )
  return (
    <Stack gap="md" miw={0}>
      <Card>
        <Stack gap="md">
          {noun === 'template' && (
            <div className="two-fields">
              <TextInput
                label={words.subject}
                placeholder={fields.subjectHint}
                value={draft.subject}
                onChange={(event) => change({ subject: event.currentTarget.value })}
                error={of('subject')[0]?.message}
                readOnly={readOnly}
              />
              <LayoutChoice {...props} />
            </div>
          )}
          <Tabs defaultValue="html" keepMounted={false}>
            <Tabs.List mb="sm">
              {tab('html', fields.html)}
              {tab('text', fields.text)}
              {tab(
                'settings',
                fields.settings,
                problems.some(({ path }) => /^(name|alias|required)\b/.test(path)),
              )}
            </Tabs.List>
            <Tabs.Panel value="html">{code('html', fields.htmlPart)}</Tabs.Panel>
            <Tabs.Panel value="text">
              {code('text', fields.textPart)}
              {noun === 'template' && (
                <Text fz="sm" c="dimmed" mt="xs">
                  {fields.textHint}
                </Text>
              )}
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <Settings {...props} />
            </Tabs.Panel>
          </Tabs>
          {noun === 'layout' && (
            <Text fz="sm" c="dimmed">
              {parts(fields.contentHint, { content: <code key="content">{'{{{ @content }}}'}</code> })}
            </Text>
          )}
        </Stack>
      </Card>
      <ModelEditor {...props} />
    </Stack>
  )
}

const Wrong = () => (
  <Text span c="var(--mantine-color-error)" fw={700} aria-label={fields.withProblems}>
    !
  </Text>
)

function LayoutChoice({ domainId, draft, change, readOnly, problems }: PartsEditorProps) {
  const layouts = useQuery(layoutsQuery(domainId))
  const data = (layouts.data?.data ?? []).map(({ alias, layout_id, name }) => ({
    value: alias ?? layout_id,
    label: name,
  }))
  // The selected layout may be missing in the list, because the list is still loading or too long.
  const own = data.some(({ value }) => value === draft.layout) || draft.layout === '' ? [] : [draft.layout]
  return (
    <Select
      label={fields.layout}
      placeholder={fields.noLayout}
      data={[...data, ...own.map((value) => ({ value, label: value }))]}
      value={draft.layout || null}
      onChange={(layout) => change({ layout: layout ?? '' })}
      error={problems.find(({ path }) => path === 'layout')?.message}
      clearable
      disabled={readOnly}
    />
  )
}

function Settings({ noun, draft, change, readOnly, problems }: PartsEditorProps) {
  const of = (start: string) => problems.find(({ path }) => path.startsWith(start))?.message
  return (
    <Stack gap="md">
      <TextInput
        label={words.name}
        description={fields.nameHint}
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        error={of('name')}
        readOnly={readOnly}
        required
      />
      <TextInput
        label={words.alias}
        description={fields.aliasHint}
        value={draft.alias}
        onChange={(event) => change({ alias: event.currentTarget.value })}
        error={of('alias')}
        readOnly={readOnly}
        spellCheck={false}
      />
      {noun === 'template' && (
        <>
          <Textarea
            label={fields.required}
            description={fields.requiredHint}
            value={draft.required}
            onChange={(event) => change({ required: event.currentTarget.value })}
            error={of('required')}
            readOnly={readOnly}
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
          />
          <Checkbox
            label={fields.inlineCss}
            description={fields.inlineCssHint}
            checked={draft.inline_css}
            onChange={(event) => change({ inline_css: event.currentTarget.checked })}
            disabled={readOnly}
          />
        </>
      )}
    </Stack>
  )
}

function ModelEditor({ model, suggested, problems, readOnly }: PartsEditorProps) {
  const missing = problems
    .filter(({ path }) => /^(?:template|sample)_model/.test(path))
    .map((one) => ({ ...one, message: atOwnName(one.path, one.message) }))
  return (
    <Card
      title={words.model.title}
      intro={words.model.intro}
      actions={
        <Button
          variant="default"
          size="xs"
          disabled={readOnly || suggested === undefined || model.problems.length > 0}
          onClick={() => suggested !== undefined && model.complete(suggested)}
        >
          {words.model.complete}
        </Button>
      }
    >
      <CodeField
        label={words.model.label}
        language="json"
        value={model.text}
        onChange={model.change}
        problems={[...model.problems, ...missing]}
        height="180px"
      />
    </Card>
  )
}

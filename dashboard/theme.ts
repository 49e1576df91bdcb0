// Theme of the dashboard: one accent colour and muted greys, in light and dark, as in the API reference.

import {
  type AnchorProps,
  type ButtonProps,
  type CSSVariablesResolver,
  createTheme,
  type DrawerProps,
  type InputWrapperProps,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type TableProps,
  type TooltipProps,
} from '@mantine/core'
import { common } from './texts/en/common.ts'

const post: MantineColorsTuple = [
  '#eef6fc',
  '#dbe9f4',
  '#b6d3e8',
  '#94c6ea',
  '#7cc0ee',
  '#4f95c2',
  '#2a6f9e',
  '#1f5f8b',
  '#184c70',
  '#123a56',
]

const gray: MantineColorsTuple = [
  '#f6f8fa',
  '#eef2f5',
  '#e6ebf0',
  '#dfe5eb',
  '#cdd6df',
  '#a9b6c3',
  '#728292',
  '#566575',
  '#3d4c5a',
  '#1c2733',
]

const dark: MantineColorsTuple = [
  '#dfe8f1',
  '#b9c7d4',
  '#9dafc0',
  '#7d91a5',
  '#2a3d52',
  '#1d2c3d',
  '#142130',
  '#0e1720',
  '#0a121b',
  '#070d14',
]

interface Defaults<Props> {
  readonly defaultProps?: Partial<Props>
  readonly styles?: Readonly<Record<string, object>>
}

/**
 * Checks the types of a component's defaults without loading the component, because the login uses few components.
 */
const of = <Props>(defaults: Defaults<Props>): Defaults<Props> => defaults

/** The header of a dialog is not a landmark of the page. */
const OF_DIALOG = { header: { role: 'presentation' } }

/** Creates the theme after the texts in the language of the user are loaded. */
export const makeTheme = () =>
  createTheme({
    colors: { post, gray, dark },
    primaryColor: 'post',
    primaryShade: { light: 7, dark: 6 },
    black: '#1c2733',
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '1.5rem', lineHeight: '1.3' },
        h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
        h3: { fontSize: '0.9375rem', lineHeight: '1.5' },
      },
    },
    fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      Button: of<ButtonProps>({ styles: { root: { fontWeight: 500 } } }),
      Anchor: of<AnchorProps>({ defaultProps: { underline: 'hover' } }),
      // Almost every field is required, so optional fields are marked instead.
      InputWrapper: of<InputWrapperProps>({ defaultProps: { withAsterisk: false } }),
      // A placeholder for the initial focus is not allowed inside a menu (WAI-ARIA 1.2 §5.2.5).
      Menu: of<MenuProps>({ defaultProps: { withInitialFocusPlaceholder: false } }),
      Modal: of<ModalProps>({
        defaultProps: {
          centered: true,
          overlayProps: { backgroundOpacity: 0.4 },
          closeButtonProps: { 'aria-label': common.close },
          attributes: OF_DIALOG,
        },
        styles: { title: { fontWeight: 600, fontSize: '1.0625rem' } },
      }),
      Drawer: of<DrawerProps>({ defaultProps: { attributes: OF_DIALOG } }),
      Table: of<TableProps>({ defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } }),
      Tooltip: of<TooltipProps>({ defaultProps: { withArrow: true, openDelay: 300 } }),
    },
  })

/** Colours of `colors.css` for the components, with lighter backgrounds. */
const shared = {
  '--mantine-color-dimmed': 'var(--quiet)',
  '--mantine-color-placeholder': 'var(--placeholder)',
  '--mantine-color-error': 'var(--error)',
  '--mantine-color-red-light': 'var(--error-ground)',
  '--mantine-color-yellow-light': 'var(--notice-ground)',
  '--mantine-color-red-light-color': 'var(--error-text)',
  '--mantine-color-yellow-light-color': 'var(--notice-text)',
}

export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...shared,
    '--mantine-color-green-light': '#edf7f1',
    '--mantine-color-post-light': '#e4eef6',
    '--mantine-color-post-light-hover': '#dbe9f4',
    '--mantine-color-green-light-color': '#146338',
    '--mantine-color-post-light-color': '#1f5f8b',
    '--mantine-color-gray-light-color': '#3d4c5a',
  },
  dark: {
    ...shared,
    '--mantine-color-anchor': 'var(--link)',
    '--mantine-color-green-light': 'rgba(87, 201, 138, 0.1)',
    '--mantine-color-post-light': 'rgba(124, 192, 238, 0.13)',
    '--mantine-color-post-light-hover': 'rgba(124, 192, 238, 0.18)',
    '--mantine-color-green-light-color': '#6ed79c',
    '--mantine-color-post-light-color': '#94c6ea',
    '--mantine-color-gray-light-color': '#b9c7d4',
  },
})

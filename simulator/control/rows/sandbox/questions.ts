// The row of the open questions: in words, with the settings that decide them, and what deviates.
import { questions } from '../../../../fixtures/questions.ts';
import { findRule, ruleFamilies } from '../../../../fixtures/rules.ts';
import { listOf, object, orNull, type ValueOf } from '../../../../fixtures/schemas/kit.ts';
import { defaultSettings, settingSpecs } from '../../../../fixtures/settings.ts';
import { answer } from '../../reply.ts';
import { row } from '../../row.ts';

const anyText = (description: string) => ({ type: 'string', description }) as const;
const anyValue = (description: string) =>
  ({ type: ['string', 'number', 'boolean', 'array', 'object', 'null'], description }) as const;

const questionsSchema = object('The rules of the API, and what its description leaves open.', {
  rules: listOf(
    object('A rule that the service is held to.', {
      id: anyText('Its id.'),
      family: anyText('What it is about.'),
      words: anyText('In words.'),
    }),
    'By family.',
  ),
  questions: listOf(
    object('An open question.', {
      id: anyText('Its id.'),
      question: anyText('The question.'),
      choice: anyText('What the simulator does unless a setting says otherwise.'),
      where: anyText('Where it is met.'),
      no_setting: orNull(anyText('Why there is nothing to set; null where there is.')),
      settings: listOf(
        object('A setting that decides it.', {
          key: anyText('Its name.'),
          description: anyText('What it decides.'),
          value: anyValue('In force.'),
          default: anyValue('What it is unless set.'),
        }),
        'The settings that decide it.',
      ),
    }),
    'By number.',
  ),
  deviations: listOf(
    object('A deviation that is switched on.', {
      id: anyText('Its id.'),
      story: anyText('How a real platform comes to do this.'),
      breaks: listOf(
        object('A rule.', { id: anyText('Its id.'), words: anyText('In words.') }),
        'The rules it breaks.',
      ),
    }),
    'Those that are switched on.',
  ),
});
export type QuestionsShown = ValueOf<typeof questionsSchema>;

export const questionRows = [
  row({
    name: 'listQuestions',
    method: 'GET',
    path: 'questions',
    tag: 'Sandbox',
    summary: 'The rules, the open questions with their settings, and the deviations in force',
    answer: { status: 200, words: 'All of them.', schema: questionsSchema },
    run: ({ plane, host }) => {
      const { settings } = host.behaviour;
      const on = plane.sandbox.options.deviations ?? [];
      return answer({
        rules: ruleFamilies.flatMap(({ title, rules }) =>
          rules.map(({ id, words }) => ({ id, family: title, words })),
        ),
        questions: questions.map(({ id, question, choice, where, noSetting, settings: keys }) => ({
          id,
          question,
          choice,
          where,
          no_setting: noSetting ?? null,
          settings: keys.map((key) => ({
            key,
            description: settingSpecs[key].description,
            value: settings[key],
            default: defaultSettings[key],
          })),
        })),
        deviations: on.map(({ id, story, breaks }) => ({
          id,
          story,
          breaks: breaks.map((rule) => ({
            id: rule,
            words: findRule(rule as Parameters<typeof findRule>[0])?.words ?? '',
          })),
        })),
      });
    },
  }),
];

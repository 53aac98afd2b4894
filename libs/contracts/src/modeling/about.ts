/** What numbers mean, in words: part of the answer about one run or one test, so that nobody has to look it up. */
export interface About {
  interval: string;
  /** Of models. */
  identified?: string;
  trust_tier: string;
  /** What these data can't tell. */
  not_known: string;
}

export const ABOUT_MIX: Required<About> = {
  interval:
    'Points are posterior means; _lo and _hi are the 5 % and 95 % quantiles: 90 % credible intervals, conditional on the model and the data.',
  identified:
    'True: the data tell the effect of the channel from chance, the season and other channels. False: reasons says why, and only the interval means something, not the point.',
  trust_tier:
    'How far the run can be trusted as a whole: high, medium, low or insufficient, by length of history, identified spend, forecasts of weeks that were held out, and lift tests.',
  not_known:
    'Weekly data cannot tell advertising from hidden demand that drives both spend and the target; only a lift test can. Effects are means over the window.',
};

export const ABOUT_LIFT: About = {
  interval:
    '_lo and _hi are the 5 % and 95 % quantiles: 90 % intervals of what the test changed, widened by calibration_factor, which comes from the same estimate where nothing was tested.',
  trust_tier:
    'How far the test can be trusted: high, medium, low or insufficient, by the number of controls, how well they fit before the test, and missing days.',
  not_known:
    'The counterfactual is an estimate of what would have happened without the advertising; organic is what last touch gives to unpaid channels, and not the same. Other changes in the treated places at the same time count as lift.',
};

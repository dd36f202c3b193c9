// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What flamegraph.test does with a graph of samples in a page, and what must come of it. Runs after the
// graph's own script; each check is a line of #results.
'use strict';
(function () {
	const svg = document.querySelector('svg');
	const search = svg.querySelector('input');
	const lines = [];

	const groups = () => [...svg.querySelectorAll('.frames > g')];
	const nameOf = group => group.querySelector('title').textContent.split(' \u2014 ')[0];
	const named = name => groups().find(group => nameOf(group) === name);
	const widthOf = group => [...group.querySelectorAll('rect')]
		.reduce((sum, rect) => sum + rect.getBBox().width, 0);
	const whole = () => svg.getBoundingClientRect().width - 20;
	const text = name => svg.querySelector('.' + name).textContent;
	const click = target => target.dispatchEvent(new MouseEvent('click', {bubbles: true}));
	const press = (key, more) => {
		const event = new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, ...more});
		(document.activeElement || document.body).dispatchEvent(event);
		return event.defaultPrevented;
	};
	const type = value => {
		search.value = value;
		search.dispatchEvent(new Event('input', {bubbles: true}));
	};

	function equal(got, wanted, what) {
		if (got !== wanted)
			throw new Error(what + ': ' + JSON.stringify(got) + ', not ' + JSON.stringify(wanted));
	}
	function near(got, wanted, what) {
		if (!(Math.abs(got - wanted) <= 2))
			throw new Error(what + ': ' + got + ', not ' + wanted);
	}
	function check(name, run) {
		let verdict = 'ok - ' + name;
		try {
			run();
		} catch (error) {
			verdict = 'not ok - ' + name + ': ' + error.message;
		}
		lines.push(verdict);
	}
	function inBoxes() {
		for (const group of groups()) {
			const label = group.querySelector('text');
			if (label && label.getComputedTextLength() > widthOf(group) - 3)
				throw new Error('label wider than its box: ' + label.textContent);
		}
	}
	function atStart() {
		equal(groups().length, 12, 'frames');
		near(widthOf(named('all')), whole(), 'width of all');
		equal(svg.querySelectorAll('.match, .faded').length, 0, 'matched or faded');
		equal(text('path') + text('matched'), '', 'path and matched');
		equal(search.value, '', 'search');
	}

	check('the graph is drawn, as wide as the window', () => {
		equal(window.errors.join(), '', 'script errors');
		atStart();
		near(widthOf(named('app')), whole() * 100 / 125, 'width of app');
		inBoxes();
	});
	check('hostile names are text and nothing else', () => {
		equal(window.injected, undefined, 'injected');
		equal(svg.querySelectorAll('script').length, 1, 'scripts in the graph');
		equal(document.querySelectorAll('img, b, iframe, object').length, 0, 'elements from names');
		for (const name of ['<b>x"', '<script>window.injected=1<\/script>_[k]',
			'"><img src=x onerror=injected=1>_[k]',
			']]></metadata><script>window.injected=1<\/script>_[k]'])
			equal(Boolean(named(name)), true, 'frame ' + name.length);
	});
	check('a pointed-at frame is described', () => {
		named('hash_[k]').dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
		equal(text('details'), 'hash_[k] \u2014 60 samples, 48.0 % of all', 'details');
	});
	check('a click zooms', () => {
		click(named('work_[k]').querySelector('rect'));
		near(widthOf(named('work_[k]')), whole(), 'width of work');
		near(widthOf(named('hash_[k]')), whole() * 2 / 3, 'width of hash');
		near(widthOf(named('main_[k]')), whole(), 'width of main');
		equal(named('rest_[k]'), undefined, 'rest');
		equal(groups().filter(group => group.classList.contains('faded')).map(nameOf).join(),
			'all,app,main_[k]', 'faded');
		equal(text('path'), 'all \u203a app \u203a main_[k] \u203a work_[k]', 'path');
		inBoxes();
	});
	check('a step of the path zooms out to it', () => {
		click([...svg.querySelectorAll('.path tspan')].find(step => step.textContent === 'main_[k]'));
		near(widthOf(named('rest_[k]')), whole() / 10, 'width of rest');
		equal(text('path'), 'all \u203a app \u203a main_[k]', 'path');
	});
	check('Reset restores everything', () => {
		type('sort');
		click(svg.querySelector('button'));
		atStart();
		equal(svg.querySelector('button').disabled, true, 'Reset disabled');
	});
	check('the search marks frames and says their share', () => {
		type('^(hash|sort)');
		equal(svg.querySelectorAll('.match').length, 2, 'marked');
		equal(text('matched'), '2 frames match, 72.0 %', 'matched');
		type('work|hash');
		equal(text('matched'), '2 frames match, 72.0 %', 'a match in a match');
		type('no such frame');
		equal(text('matched'), '0 frames match, 0.0 %', 'nothing');
	});
	check('a search that is no regular expression is marked so', () => {
		type('(');
		equal(search.validity.customError, true, 'error');
		equal(svg.querySelectorAll('.match').length, 0, 'marked');
		type('');
		equal(search.validity.customError, false, 'error after clearing');
	});
	check('Ctrl-F goes to the search, Esc resets', () => {
		click(named('work_[k]').querySelector('rect'));
		equal(press('f', {ctrlKey: true}), true, 'Ctrl-F taken');
		equal(document.activeElement, search, 'focus');
		equal(press('f', {ctrlKey: true}), false, 'second Ctrl-F taken');
		type('hash');
		press('Escape');
		atStart();
		search.blur();
	});
	check('arrow keys and Enter', () => {
		for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowRight'])
			press(key);
		equal(nameOf(svg.querySelector('.current')), 'work_[k]', 'up three and right');
		press('ArrowLeft');
		equal(nameOf(svg.querySelector('.current')), 'rest_[k]', 'and left');
		press('Enter');
		near(widthOf(named('rest_[k]')), whole(), 'width of rest');
		press('Escape');
		atStart();
	});
	check('a narrower window: boxes and labels follow', () => {
		document.body.style.width = '450px';
		window.dispatchEvent(new Event('resize'));
		near(whole(), 430, 'width');
		near(widthOf(named('all')), whole(), 'width of all');
		inBoxes();
	});
	check('no script error in all that', () => equal(window.errors.join(), '', 'errors'));

	document.getElementById('results').textContent = '\n' + lines.join('\n') + '\n';
})();

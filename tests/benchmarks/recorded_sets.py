"""The eleven recorded sets in miniature, with references counted by hand, but for what is estimated."""

import json
from collections.abc import Mapping
from pathlib import Path

from click.testing import CliRunner, Result

from benchmarks.replays.__main__ import main

SEATS = range(1, 9)
GAME_HEAD = ",".join(["game", *(f"model_P{n}" for n in SEATS), *(f"rank_P{n}" for n in SEATS)])
RULING = "{{'Whether there is a preference': '{}', 'Supported Side': '{}', 'Reason': 'So.', 'Correct Translation': ''}}"
GSM = "== GSM8K, three models: items 4, models 3"

SETS: Mapping[str, Mapping[str, str]] = {
    "deliberative_forecasts": {
        "questions.csv": "question_id,resolution\n1,1\n2,1\n",
        "forecasts.csv": "question_id,stage,info_label,probability\n1,independent,full,50\n2,independent,full,50\n",
        "condition_pairs.csv": "question_id,condition,independent_prob,deliberative_prob\n"
        "1,diverse_full,30,80\n1,diverse_full,70,80\n2,diverse_full,60,60\n2,diverse_full,60,60\n",
        "reference.txt": "questions 2 independent full forecasts a question [1]\n\n"
        "flips over 0.5: wrong to right 1 right to wrong 0\n",
    },
    "elimination_votes": {
        # Seats without a named model are left out; c has no published rating.
        "games.csv": f"{GAME_HEAD}\n1,a,b,c,,,,,,1,2,2,,,,,\n2,b,a,,,,,,,2,1,,,,,,\n",
        "models.csv": "code,published_mu\na,3.5\nb,1.5\nc,\n",
        "reference.txt": "games 2 rated models 2\nSpearman(Bradley-Terry on pairs, published mu) = 1.000\n",
    },
    "debate_judgments": {
        "matchups.csv": "model_a,model_b,result_normalized,rating_eligible\na,b,a,1\nb,c,Tie,1\nb,c,b,1\na,c,c,0\n",
        "judgments.csv": "pro,con,winner\na,b,PRO\nb,a,CON\nb,c,PRO\nc,b,PRO\nb,c,PRO\n",
        "leaderboard.csv": "model,bt\na,1700\nb,1500\nc,1300\n",
        "reference.txt": "matchups 4 (rating-eligible 3)\n"
        "Spearman(Bradley-Terry on matchup results, published BT) = 1.000\n"
        "Spearman(Bradley-Terry on single judge votes, published BT) = 1.000\n"
        "PRO side wins 4/5 = 0.800 of judge votes\n",
    },
    "ranked_ballots": {
        "elections.jsonl": '{"title": "One", "candidates": {"1": "Ann", "2": "Bob", "3": "Cy"}, "official_rule": "IRV",'
        ' "official_winner": "Bob", "ballots": [[4, [[1], [2]]], [3, [[2], [3]]], [2, [[3], [2]]]]}\n'
        '{"title": "Two", "candidates": {"1": "Ann", "2": "Bob"}, "official_rule": "Schulze",'
        ' "official_winner": "Ann", "ballots": [[2, [[1], [2]]], [1, [[2]]]]}\n',
        "reference.txt": "official winner reproduced: 2/2; Condorcet winner exists in 2;\n"
        "agreement with the Condorcet winner: {'plurality': '1/2', 'borda': '2/2', 'irv': '2/2', 'copeland': '2/2',"
        " 'minimax': '2/2', 'schulze': '2/2'}\n",
    },
    "panel_answers": {
        "gsm_answers.csv": "item,gold,a,b,c,d\n0,5,5,5,5,0\n1,6,6,6,1,0\n2,7,7,2,3,0\n3,8,,9,9,0\n",
        "mmlupro_answers.csv": "item,options,gold,a,b\n0,10,A,A,B\n1,4,B,B,B\n",
        "reference.txt": f"{GSM}\n"
        "panel accuracies: {'a': 0.75, 'b': 0.5, 'c': 0.25}\n"
        "  plurality of  1 models, mean over panels: 0.500\n"
        "  plurality of  3 models, mean over panels: 0.583\n"
        "  cross-fitted: equal weights 0.583, weights = accuracy 0.583, log-odds weights 0.583\n"
        "  Dawid-Skene without gold: 0.500; largest error of its accuracy estimates 0.283\n"
        "== MMLU-Pro, two models: items 2, models 2\n"
        "panel accuracies: {'a': 1.0, 'b': 0.5}\n"
        "  plurality of  2 models, mean over panels: 0.750\n"
        "  cross-fitted: log-odds weights 0.750\n"
        "  Dawid-Skene without gold: 0.750; largest error of its accuracy estimates 0.375\n"
        "== stopping rules, GSM8K, at most 3 models, random order\n"
        "  ask all: 3.00 models 0.583\n"
        "  stop when the lead cannot be overturned: 2.58 models 0.583\n"
        "  stop when P(leader ahead) >= 0.90 under Beta(1+v1,1+v2): 3.00 models 0.583\n"
        "  stop when P(leader ahead) >= 0.95 under Beta(1+v1,1+v2): 3.00 models 0.583\n"
        "  stop when P(leader ahead) >= 0.99 under Beta(1+v1,1+v2): 3.00 models 0.583\n"
        "  stop at two equal answers in a row from the start: 2.58 models 0.583\n"
        "  first three, then all only if they do not agree: 3.00 models 0.583\n"
        "== other\nwords\n",
    },
    "judge_pairs": {
        "votes.csv": "item,judge,strategy,label,winner_original_order,winner_swapped_order\n"
        "1,J,CoT,1,1,1\n2,J,CoT,2,1,2\n1,K,CoT,1,,\n",
        "reference.txt": "  J/CoT       n=2 acc=0.750 agree=0.500 acc|agree=1.000 first=0.750\n"
        "  K/CoT       n=1 acc=0.000 agree=0.000\n",
    },
    "strategyqa_debates": {
        "gpt52_debates.jsonl": '{"gold": "yes", "initial": {"a": ["yes", 5], "b": ["no", 3]}, "direct": ["yes", 4],'
        ' "judge": {"answer": "yes", "confidence": 5}, "samples": []}\n',
        "qwen3_judgments.jsonl": '{"gold": "no", "judge_text": "## FINAL VERDICT\\nOpponent wins. Confidence: 4/5"}\n'
        '{"gold": "no", "judge_text": "FINAL VERDICT: the proponent. 5/5"}\n{"gold": "no", "judge_text": "None."}\n',
        "reference.txt": "confidence of direct  n= 1 mean 0.875 accuracy 1.000 Brier 0.016 ECE 0.125 AUROC None\n"
        "confidence of debaters, first position n= 2 mean 0.875 accuracy 0.500 Brier 0.281 ECE 0.375 AUROC 1.0\n"
        "confidence of judge n= 1 mean 1.000 accuracy 1.000 Brier 0.000 ECE 0.000 AUROC None\n"
        "judge confidence: n=2 mean 0.938 accuracy 0.500 Brier 0.508 ECE 0.562 AUROC 0.0\n",
    },
    "persuasion_shift": {
        "cells.csv": "persuader,target,side,pre_mean,post_mean\n"
        "one,other,pro,-1.0,1.0\ntwo,other,con,-1.0,-1.0\ntwo,another,con,,\n",
        "published.csv": "role,model,mean\npersuader,one,2.0\npersuader,two,0.0\ntarget,other,1.0\n",
        "reference.txt": "cells 2\ntransitions: {'opposed->aligned': 1, 'aligned->aligned': 1, 'neutral->neutral': 0}\n"
        "opposed targets that end aligned: 1.000; aligned targets that end opposed: 0.000; any sign flip: 0.500\n"
        "persuader: models 2, Spearman with the published ranking 1.000, largest |difference| 0.0\n"
        "target: models 2, Spearman with the published ranking 0.000, largest |difference| 0.0\n",
    },
    "solver_judge_debates": {
        "debates.jsonl": '{"source": "X", "gold": "5", "solvers": {"solver_1": {"initial_correct": true,'
        ' "initial_confidence": 0.9, "refined_correct": true, "refined_confidence": 1.0}, "solver_2":'
        ' {"initial_correct": false, "initial_confidence": 0.5, "refined_correct": true, "refined_confidence": 0.8},'
        ' "solver_3": {"initial_correct": false, "initial_confidence": null, "refined_correct": false,'
        ' "refined_confidence": 0.6}},'
        ' "reviews": [{"target": "solver_1", "overall": "correct"}, {"target": "solver_3", "overall": "incomplete"}],'
        ' "verdict": {"winner": "solver_1", "confidence": 1.0, "text": "So."}, "final_answer": "5",'
        ' "final_correct": true, "consensus_refined": false}\n'
        '{"source": "Y", "gold": "54", "accepted": ["54"], "solvers": {"solver_1": {"refined_answer": ""}},'
        ' "reviews": [], "verdict": {"winner": "solver_1", "confidence": 0.5, "text": ""}, "final_answer": "54 meters",'
        ' "final_correct_by_source": false}\n',
        "reference.txt": "source A (X): 1 debates, 3 solver answers\n"
        "   solver accuracy initial 0.333 -> refined 0.667; right->wrong 0, wrong->right 1\n"
        "   per debate: {'judge chose a correct refined answer': '1/1', 'some refined answer correct': '1/1',"
        " 'some initial answer correct': '1/1', 'majority initial correct': '0/1', 'majority refined correct': '1/1',"
        " 'final correct': '1/1', 'consensus refined': '0/1', 'consensus refined and wrong': '0/1', 'more': '1/1'}\n"
        "   peer reviews (verdict, target initially correct): {'correct, True': 1, 'incomplete, False': 1}\n"
        "   confidence solver refined n= 3 mean 0.800 accuracy 0.667 Brier 0.133 ECE(10) 0.267 AUROC 1.000\n"
        "   confidence judge          n= 1 mean 1.000 accuracy 1.000 Brier 0.000 ECE(10) 0.000 AUROC None\n"
        "source C: 1 debates; final answer correct by the source 0, after unit-tolerant normalisation 1; blank refined"
        " answers 1 of 1; judge verdicts with no text and confidence 0.5: 1\n"
        "judge picks by slot, all sources: {'solver_1': 2}\n",
    },
    "mad_translation": {
        # One ends with the moderator in the second step, the other with the judge after one.
        "debates.jsonl": json.dumps(
            {
                "correct_reference": "we have engaged the enemy",
                "base": "we touched the enemy",
                "final": "we engaged the enemy",
                "affirmative": ["we touched the enemy", "we touched the foe", "we engaged the foe"],
                "negative": ["we engaged the foe", "we engaged the foe"],
                "moderator_raw": [RULING.format("No", ""), RULING.format("Yes", "Negative")],
                "judge_raw": [],
            }
        )
        + "\n"
        + json.dumps(
            {
                "correct_reference": "a dog",
                "base": "a dog",
                "final": "a dog",
                "affirmative": ["a dog"],
                "negative": ["a cat"],
                "moderator_raw": [RULING.format("No", "")],
                "judge_raw": [
                    "Translation candidate 1: a dog",
                    '{"Reason": "It is so.", "Correct Translation": "a dog"}',
                ],
            }
        )
        + "\n",
        "reference.txt": "debates 2\n"
        "parsing: {'moderator: Python literal': 3, 'judge: unparsed': 1, 'judge: strict JSON': 1}\n"
        "moderator rounds by (preference, side): {'No, ': 2, 'Yes, Negative': 1}\n"
        "round of the first stated preference: {'never': 1, 1: 1} | ended without the judge: 1\n"
        "mean word-set overlap of the two sides in debate step 1, 2, 3, ...: [0.6]\n"
        "mean word-set overlap of a side with its own previous turn: [0.8, 0.6]\n"
        "word overlap with the human reference: {'final equals base': 1, 'final closer to the reference': 1,"
        " 'equal': 1}\n",
    },
    "pairwise_preferences": {
        "preference.csv": "item,baseline_chars,a,b\n0,100,1.0,0.5\n1,100,0.8,0.0\n2,100,,0.2\n",
        "length.csv": "item,a,b\n0,200,100\n1,150,50\n2,,100\n",
        "published.csv": "model,win_rate,length_controlled_winrate,avg_length\na,90.0,30.0,175\nb,20.0,80.0,83\n",
        "reference.txt": "items 3 models 2\n"
        "win rate against the published one: Spearman 1.0000, mean |difference| 1.67 points, largest 3.33\n"
        "discrete (won / lost) win rate against the published graded one: Spearman 1.0000\n"
        "raw against the published length-controlled win rate: Spearman -1.0000 (n=2)\n"
        "our length-controlled rate against the published one: Spearman 1.0000, mean |difference| 1.00 points\n"
        "published average length against win rate, Spearman 1.000; against the length-controlled rate -1.000\n",
    },
}


def write_sets(folder: Path) -> Path:
    """All sets as files in a folder, which is given back."""
    for name, files in SETS.items():
        (folder / name).mkdir()
        for file, text in files.items():
            (folder / name / file).write_text(text, "utf-8")
    return folder


def run(*words: str | Path) -> Result:
    """Run the command of the replays."""
    return CliRunner().invoke(main, [str(word) for word in words])
